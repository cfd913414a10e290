import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// A refresh token as its owner holds it: 256 random bits. Only its hash is stored.
struct RefreshToken: Sendable {
  let secret: Secret
  let hash: String

  /// Makes a new token.
  init() throws(AuthError) { try self.init(Secret(Base64URL.encode(try RandomBytes.bytes(32)))) }

  /// Makes a token of 32 bytes that a key has derived.
  init(derived bytes: [UInt8]) throws(AuthError) { try self.init(Secret(Base64URL.encode(bytes))) }

  /// Reads the token that a client sent; refuses text of another length.
  init(sent: Secret) throws(AuthError) {
    guard !sent.revealed.isEmpty else { throw AuthError(server: .missingRefreshToken) }
    guard sent.revealed.utf8.count == 43 else { throw AuthError(server: .invalidRefreshToken) }
    try self.init(sent)
  }

  private init(_ secret: Secret) throws(AuthError) {
    self.secret = secret
    // An unsalted, fast hash is sufficient, because 256 random bits cannot be guessed.
    hash = Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array(secret.revealed.utf8)))
  }
}
