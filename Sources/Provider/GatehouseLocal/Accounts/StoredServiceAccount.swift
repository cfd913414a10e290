import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// A service account, as a row: what signs its tokens is in its owner's file alone.
struct StoredServiceAccount: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "serviceAccount"

  var email: String
  /// Another one for a later account of the same name.
  var id: String
  var keyID: String
  /// PEM.
  var publicKey: String
  /// Where its file says that it gets access tokens.
  var tokenURL: String
  /// Milliseconds since 1970.
  var createdAt: Int64

  static func all(in db: Database) throws -> [StoredServiceAccount] {
    try every("SELECT * FROM serviceAccount ORDER BY email", in: db)
  }

  static func find(_ email: String, in db: Database) throws -> StoredServiceAccount? {
    try first("SELECT * FROM serviceAccount WHERE email = ?", [email], in: db)
  }

  /// Verifies a token that the account has signed.
  func verify(
    _ token: Secret, _ policy: VerificationPolicy, at now: Moment
  ) throws(AuthError) -> VerifiedToken {
    let key: PublicKey
    do throws(AuthError) { key = try PublicKey(pem: publicKey) } catch {
      throw AuthError(.providerDamaged, "the key of the service account \(email.printable()) cannot be read")
    }
    let keys = try JWKSet([JWK(.publicKey(key), keyID: keyID, algorithm: .RS256, use: "sig")])
    return try TokenVerifier(keys: keys, policy: policy).verify(token.revealed, at: Double(now.seconds))
  }
}
