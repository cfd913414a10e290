import GRDB

extension StoredAccount {
  /// Adds the account, unless another one has its identifier, address or phone number. One statement, because an import
  /// adds many.
  ///
  /// - Returns: Whether the account was added.
  func insertIfNew(in db: Database) throws -> Bool {
    try db.change(
      """
      INSERT INTO account (
        uid, tenant, email, emailVerified, phoneNumber, displayName, photoURL, password, passwordUpdatedAt, emailLink,
        customAuth, disabled, createdAt, lastLoginAt, lastRefreshAt, validSince, claims, createdFrom,
        passwordGeneration)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        uid, tenant, email, emailVerified, phoneNumber, displayName, photoURL, password, passwordUpdatedAt, emailLink,
        customAuth, disabled, createdAt, lastLoginAt, lastRefreshAt, validSince, claims, createdFrom,
        passwordGeneration,
      ])
    return db.changesCount > 0
  }
}
