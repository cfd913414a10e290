import GRDB
import GatehouseBase

/// The parts of an account whose changes the audit log records.
struct AuditedState {
  private let email: String?
  private let isVerified: Bool
  private let methods: Set<ExactText>
  private let factors: Set<ExactText>

  init(of account: StoredAccount, in db: Database) throws {
    (email, isVerified) = (account.email, account.emailVerified)
    methods = try account.signInMethods(in: db).exactly
    factors = try StoredSecondFactor.all(of: account.uid, in: db).map(\.id).exactly
  }

  /// Returns the kinds of the events that record how the account was changed since. A new password is not among them.
  func changes(to account: StoredAccount, in db: Database) throws -> [AuditEvent.Kind] {
    let new = try Self(of: account, in: db)
    var kinds: [AuditEvent.Kind] = []
    if !email.isExactly(new.email) {
      kinds.append(.emailChanged)
    } else if new.isVerified && !isVerified {
      kinds.append(.emailVerified)
    }
    if !methods.isSubset(of: new.methods) { kinds.append(.signInMethodRemoved) }
    if !factors.isSubset(of: new.factors) { kinds.append(.secondFactorWithdrawn) }
    return kinds
  }
}
