import GRDB
import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// An open embedded provider: the owner of its parts, each of which holds only parts before it.
final class Provider: ProviderPart {
  let store: ProviderStore
  let accounts: Accounts
  let sessions: Sessions
  let signIns: SignIns
  let factors: SecondFactors
  let messages: Messages
  let codes: ActionCodes
  let resources: Resources
  let identities: Identities
  let identityAttempts: IdentityAttempts
  let tenants: Tenants
  let tenantDocuments: TenantDocuments
  let administration: AccountAdministration
  let keys: KeyAdministration
  let serviceAccounts: ServiceAccounts
  let cookies: SessionCookies
  let upkeep: Upkeep
  /// The lock that prevents a restore from replacing the folder meanwhile.
  private let use: HeldLock
  /// The boot-clock time of the last attempted write, and its outcome.
  private let lastTry = Lock<(at: Double, outcome: Result<Void, AuthError>)?>(nil)

  init(directory: String, environment: ProviderEnvironment, deliveries: Deliveries) throws(AuthError) {
    let options = environment.options
    try options.check()
    let home = try HomeFolder(path: directory)
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
    let database = try AccountDatabase(
      path: home.accounts, refusalOfEmpty: refusalOfEmpty, pragmas: options.pragmas, isDurable: !options.isEmulator,
      ran: options.statementRan)
    let isEmulators = try Self.kind(of: home, in: database, isNew: !hasKeys, options)
    // Taken under the opening lock, which a restore needs as well.
    use = try home.markedInUse(patience: options.patience)
    let signing = try SigningKeys(home: home, database: database, options: options)
    store = try ProviderStore(environment, home, database)
    accounts = try Accounts(store, inEmulatorsHome: isEmulators, deliveries: deliveries)
    sessions = Sessions(store: store, keys: signing)
    signIns = SignIns(store: store, sessions: sessions)
    factors = SecondFactors(store: store)
    messages = Messages(store: store, deliveries: deliveries)
    codes = ActionCodes(store: store, accounts: accounts, messages: messages)
    resources = Resources(store: store)
    identities = Identities(store: store, resources: resources)
    identityAttempts = IdentityAttempts(store: store)
    tenants = Tenants(store: store)
    tenantDocuments = TenantDocuments(of: tenants, in: resources)
    administration = AccountAdministration(store: store, accounts: accounts, tenants: tenants)
    keys = KeyAdministration(store: store, keys: signing)
    serviceAccounts = ServiceAccounts(store: store, keys: signing)
    cookies = SessionCookies(store: store, keys: signing)
    upkeep = Upkeep(store: store, sessions: sessions, keys: keys)
    try resources.adoptConfiguration()
  }

  // Anyone can sign in to an emulator as any user. Such a session would go on in a provider that opened the same home
  // later, so each of the two kinds has homes of its own.

  /// Refuses an emulator's home to a provider, and any other home to an emulator. Returns whether the home is an
  /// emulator's.
  ///
  /// - Parameter isNew: whether no provider has ever used the home. If so, it becomes an emulator's if this is one.
  private static func kind(
    of home: HomeFolder, in database: AccountDatabase, isNew: Bool, _ options: LocalOptions
  ) throws(AuthError) -> Bool {
    if isNew, options.isEmulator {
      try database.write { db in try db.execute(sql: "INSERT OR IGNORE INTO emulator (mark) VALUES (1)") }
      return true
    }
    let isEmulators = try database.read { db in
      try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM emulator)") ?? false
    }
    guard !options.opensAnyHome, isEmulators != options.isEmulator else { return isEmulators }
    let reason =
      isEmulators
      ? "\(home.path) is an emulator's, where anyone could sign in as any user"
      : "\(home.path) is not an emulator's, and an emulator lets anyone sign in as any user"
    throw AuthError(.providerUnsafe, "\(reason); use another folder")
  }

  /// Closes the provider. Call when nothing uses it any more. Another program can open the folder when this returns,
  /// though a thread may still hold this object for a moment.
  func close() throws(AuthError) {
    defer { use.release() }
    if let now = try? now() { audit.finish(at: now) }
    // A time that cannot be written now is lost, and exact to the hour.
    try? sessions.refreshes.write(to: database)
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
}
