import GRDB
import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The accounts, with their passwords and their addresses.
struct Accounts: ProviderPart {
  let store: ProviderStore
  /// Whether the home is an emulator's.
  let isEmulators: Bool
  let passwordChecks: PasswordChecks

  /// - Parameter isEmulators: whether the home is an emulator's.
  init(
    _ store: ProviderStore, inEmulatorsHome isEmulators: Bool, deliveries: Deliveries
  ) throws(AuthError) {
    self.store = store
    self.isEmulators = isEmulators
    passwordChecks = try PasswordChecks(store.environment.options.passwordCost, inEmulatorsHome: isEmulators) { line in
      WorkQueue.begin { await deliveries.warn(line) }
    }
  }

  /// Returns the hash of a new password. Refuses a leaked password.
  func hash(_ password: [UInt8]) throws(AuthError) -> String {
    if let leaked = options.leakedPasswords, try leaked.contains(password) {
      throw AuthError(server: .weakPassword, "it is in a list of leaked passwords; choose another one")
    }
    if isEmulators, let readable = try ReadablePassword(of: password) { return readable.text }
    return try PasswordHash(of: password, cost: options.passwordCost).text
  }

  /// Makes an address free for an account whose user proves it: an account that never has proved it loses it.
  ///
  /// - Throws: `EMAIL_EXISTS` if another account has proved the address, or if it is the account's own.
  func claim(_ address: EmailAddress, for account: StoredAccount, at now: Moment, in db: Database) throws {
    guard var holder = try StoredAccount.find(address, of: account.tenant, in: db) else { return }
    guard holder.yields(to: account) else { throw AuthError(server: .emailExists, email: address.text) }
    note(.emailChanged, of: holder, whenCommitted: db, at: now)
    try holder.loseAddress(at: now, in: db)
    try holder.update(db)
  }

  /// Lets the owner of a verified mailbox in, who has shown no credential of the account: factors that are older than
  /// the verification of the address end.
  func admit(_ account: StoredAccount, at now: Moment, in db: Database) throws {
    guard try account.loseFactorsBeforeVerification(in: db) else { return }
    note(.secondFactorWithdrawn, of: account, whenCommitted: db, at: now)
  }
}
