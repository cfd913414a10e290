import GatehouseBase
import GatehouseCrypto

/// A header that passed every check, with its key. For one thread at a time.
final class RecognizedHeader {
  /// The header as the token spells it, in base64url.
  private let text: [UInt8]
  let header: TokenHeader
  let check: SignatureCheck
  /// The hash function of the token's `alg`; `nil` if it is not supported.
  let hash: HashAlgorithm?
  /// The issuer that the key signs for; `nil` if it names none.
  let keyIssuer: IssuerPattern?
  /// Whether it is cached for comparison as text.
  var isRemembered = false

  init(text: [UInt8], header: TokenHeader, check: SignatureCheck, hash: HashAlgorithm?, keyIssuer: IssuerPattern?) {
    self.text = text
    self.header = header
    self.check = check
    self.hash = hash
    self.keyIssuer = keyIssuer
  }

  /// Whether another token spells its header identically.
  func isSpelled(_ other: Span<UInt8>) -> Bool {
    let own = text
    return own.span.isExactly(other)
  }
}
