import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseQueues
import GatehouseSystem
import IdentityToolkit

/// An open embedded provider. All of its methods block: for background threads only.
final class Provider: Sendable {
  let environment: ProviderEnvironment
  let home: HomeFolder
  let database: AccountDatabase
  let keys: SigningKeys
  let deliveries: Deliveries
  let audit: AuditLog
  let chores: Chores
  let passwordChecks: PasswordChecks
  /// Whether the home is an emulator's.
  let isEmulators: Bool
  /// The lock that prevents a restore from replacing the folder meanwhile.
  private let use: OpenFile
  /// The boot-clock time of the last attempted write, and its outcome.
  private let lastTry = Lock<(at: Double, outcome: Result<Void, AuthError>)?>(nil)

  init(directory: String, environment: ProviderEnvironment, deliveries: Deliveries) throws(AuthError) {
    let options = environment.options
    try options.check()
    self.environment = environment
    self.deliveries = deliveries
    home = try HomeFolder(path: directory)
    let lock = try home.lockedForOpening(mayBeNew: options.beginsProvider, patience: options.patience)
    defer { lock.unlock() }
    try home.requireSafeAccounts()
    let hasKeys = try !home.keyIDs().isEmpty
    if hasKeys, try !home.hasAccounts() { throw AccountDatabase.damaged(home.accounts, "is missing or empty") }
    var refusalOfEmpty: AuthError?
    if hasKeys {
      refusalOfEmpty = AccountDatabase.damaged(home.accounts, "has no tables")
    } else if !options.beginsProvider {
      refusalOfEmpty = home.noProvider
    }
    try home.makeAccountsFile()
    database = try AccountDatabase(
      path: home.accounts, refusalOfEmpty: refusalOfEmpty, pragmas: options.pragmas, isDurable: !options.isEmulator)
    isEmulators = try Self.kind(of: home, in: database, isNew: !hasKeys, options)
    passwordChecks = try PasswordChecks(options.passwordCost, inEmulatorsHome: isEmulators)
    // Taken under the opening lock, which a restore needs as well.
    use = try home.markedInUse(patience: options.patience)
    keys = try SigningKeys(home: home, database: database, options: options)
    audit = AuditLog(home: home, options: options.audit)
    chores = Chores(prunedAt: try database.read(Pruning.last) ?? 0)
    try database.read { db in try adoptConfiguration(in: db) }
  }

  var options: LocalOptions {
    _read { yield environment.options }
  }

  /// Closes the provider. Call when nothing uses it any more.
  func close() throws(AuthError) {
    if audit.hasWaiting, let now = try? now() { _ = audit.flush(at: now) }
    try database.close()
  }

  /// Refuses a provider that cannot be written to now. Tries a write at most once a second.
  func requireWritable() throws(AuthError) {
    let now = options.clocks.now().boot
    if let last = lastTry.withLock({ $0 }), abs(now - last.at) < 1 { return try last.outcome.typed() }
    let outcome = Result { () throws(AuthError) in try database.requireWritable() }
    lastTry.withLock { $0 = (now, outcome) }
    try outcome.typed()
  }

  func now() throws(AuthError) -> Moment { try Moment(options.clocks.now()) }

  /// Returns the hash of a new password. Refuses a leaked password.
  func hash(_ password: [UInt8]) throws(AuthError) -> String {
    if let leaked = options.leakedPasswords, try leaked.contains(password) {
      throw AuthError(server: .weakPassword, "it is in a list of leaked passwords; choose another one")
    }
    if isEmulators, let readable = try ReadablePassword(of: password) { return readable.text }
    return try PasswordHash(of: password, cost: options.passwordCost).text
  }

  /// Returns the user and session of an ID token.
  func bearer(of idToken: Secret, at now: Moment) throws(AuthError) -> Bearer {
    try keys.bearer(of: idToken, at: now)
  }

  /// Returns the answer to a call that signs in.
  func response(_ session: Session, at now: Moment) throws(AuthError) -> SignInResponse {
    SignInResponse(
      localId: session.account.uid, email: session.account.email, displayName: session.account.displayName,
      idToken: try keys.idToken(of: session, options, at: now), refreshToken: session.refreshToken.secret,
      expiresIn: options.tokenLifetime)
  }
}
