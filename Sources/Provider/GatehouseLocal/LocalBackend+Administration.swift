import GRDB
package import GatehouseBase
import IdentityToolkit

// The administrator's calls, which need no token of the user's.
extension LocalBackend {
  /// Disables an account, or enables it again. Users of a disabled one are refused from the next call on.
  package func setDisabled(uid: String, _ disabled: Bool) async throws(AuthError) {
    try await change(uid) { account, _, _ in account.disabled = disabled }
  }

  /// Ends every session of an account: its refresh tokens at once, and for the provider's own calls its ID tokens of
  /// earlier seconds. A verifier that does not ask the provider accepts an ID token until it expires.
  package func revoke(uid: String) async throws(AuthError) {
    try await change(uid) { account, now, db in try account.revokeSessions(at: now, in: db) }
  }

  private func change(
    _ uid: String, _ change: @escaping @Sendable (inout StoredAccount, Moment, Database) throws -> Void
  ) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in
      let now = try provider.now()
      try provider.database.write { db in
        guard var account = try StoredAccount.find(uid: uid, in: db) else { throw AuthError(server: "USER_NOT_FOUND") }
        try change(&account, now, db)
        try account.update(db)
      }
    }
  }
}
