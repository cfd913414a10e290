import GRDB
import GatehouseBase
import IdentityToolkit

/// A row for an identity provider's user who signs in to an account. An account has at most one of each provider, and
/// in each tenant such a user has one account.
struct StoredIdentity: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "identity"

  /// The account's tenant; empty for the project itself.
  var tenant: String
  var provider: String
  /// The user's identifier at the provider.
  var subject: String
  var uid: String
  var email: String?
  var displayName: String?
  var photoURL: String?

  static func find(
    _ provider: String, _ subject: String, of tenant: String, in db: Database
  ) throws -> StoredIdentity? {
    try first(
      "SELECT * FROM identity WHERE tenant = ? AND provider = ? AND subject = ?", [tenant, provider, subject], in: db)
  }

  static func all(of uid: String, in db: Database) throws -> [StoredIdentity] {
    try every("SELECT * FROM identity WHERE uid = ? ORDER BY provider", [uid], in: db)
  }

  /// Returns the users of an identity provider who sign in to accounts of a tenant.
  static func all(
    of provider: String, in tenant: String, limit: Int, in db: Database
  ) throws -> [StoredIdentity] {
    try every(
      "SELECT * FROM identity WHERE tenant = ? AND provider = ? ORDER BY subject LIMIT ?", [tenant, provider, limit],
      in: db)
  }

  static func forget(_ provider: String, of uid: String, in db: Database) throws {
    try db.change("DELETE FROM identity WHERE uid = ? AND provider = ?", [uid, provider])
  }

  static func forgetAll(of uid: String, in db: Database) throws {
    try db.change("DELETE FROM identity WHERE uid = ?", [uid])
  }

  /// The identity in the protocol's form.
  var info: Account.ProviderUserInfo {
    var info = Account.ProviderUserInfo(providerId: provider)
    info.rawId = subject
    info.federatedId = subject
    info.email = email
    info.displayName = displayName
    info.photoUrl = photoURL
    return info
  }
}
