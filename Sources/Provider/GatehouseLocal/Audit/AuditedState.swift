import GRDB

/// The parts of an account whose changes the audit log records.
struct AuditedState {
  private let email: String?
  private let isVerified: Bool
  private let methods: Set<String>
  private let factors: Set<String>

  init(of account: StoredAccount, in db: Database) throws {
    (email, isVerified) = (account.email, account.emailVerified)
    methods = Set(try account.signInMethods(in: db))
    factors = Set(try StoredSecondFactor.all(of: account.uid, in: db).map(\.id))
  }

  /// Returns the kinds of the events that record how the account was changed since. A new password is not among them.
  func changes(to account: StoredAccount, in db: Database) throws -> [AuditEvent.Kind] {
    let new = try Self(of: account, in: db)
    var kinds: [AuditEvent.Kind] = []
    if email != new.email {
      kinds.append(.emailChanged)
    } else if new.isVerified && !isVerified {
      kinds.append(.emailVerified)
    }
    if !methods.isSubset(of: new.methods) { kinds.append(.signInMethodRemoved) }
    if !factors.isSubset(of: new.factors) { kinds.append(.secondFactorWithdrawn) }
    return kinds
  }
}
