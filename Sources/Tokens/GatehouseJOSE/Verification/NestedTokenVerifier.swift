public import FoundationEssentials
import GatehouseBase

/// Verifies tokens that were signed and then encrypted (RFC 7519 §5.2, §11.2). It requires both.
///
/// A token that is only signed, or only encrypted, is always rejected. The message must say that it contains a token
/// (`cty` is `JWT`), and the token may not contain another one. Uses no queue. Usable from any thread; slow work if the
/// decrypter's is.
public struct NestedTokenVerifier: Sendable {
  /// Decrypts the message.
  public let decrypter: TokenDecrypter
  /// Verifies the token inside.
  public let verifier: TokenVerifier
  /// The verifier's policy.
  public var policy: VerificationPolicy { verifier.policy }

  /// Makes a verifier for tokens that are signed and then encrypted.
  public init(decrypter: TokenDecrypter, verifier: TokenVerifier) {
    self.decrypter = decrypter
    self.verifier = verifier
  }

  /// Decrypts and verifies a token now, by the verifier's clock. Returns nothing of it before its signature is
  /// verified.
  public func verify(_ message: String) throws -> VerifiedToken { try verifier.verify(token(in: message)) }

  /// Decrypts and verifies a token at a moment.
  public func verify(_ message: String, at moment: Date) throws -> VerifiedToken {
    try verify(message, at: moment.wall)
  }

  /// Decrypts and verifies a token at a moment in seconds since 1970.
  package func verify(_ message: String, at now: Double) throws(AuthError) -> VerifiedToken {
    try verifier.verify(token(in: message), at: now)
  }

  private func token(in message: String) throws(AuthError) -> String {
    let message = try typed { try decrypter.decrypt(message) }
    guard message.header["cty"]?.string?.isMediaType("JWT") == true else {
      throw AuthError(.typeMismatch, "`cty` must be JWT")
    }
    guard let token = String(validating: message.plaintext, as: UTF8.self) else {
      throw AuthError(.tokenMalformed, "the decrypted content is not a token")
    }
    return token
  }
}
