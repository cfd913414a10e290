public import GatehouseBase

/// A message that a `TokenDecrypter` has decrypted.
///
/// Only the sender and the owner of the key could read it. It does not prove who the sender is: anyone can encrypt to a
/// public key. So it has no claims. `NestedTokenVerifier` returns those of a signed token inside, and `ClaimsDecrypter`
/// those that were only encrypted.
public struct DecryptedMessage: Sendable {
  /// The protected header: anyone can read it, but it is unchanged. In JSON, `algorithm` and `keyID` may come from
  /// `unprotected`, if they led to the key.
  public let header: TokenHeader
  /// In JSON, the members of the shared header and of the receiver's own: anyone on the way could change them.
  public let unprotected: JSONObject
  /// In JSON, `aad`: data that was sent readable beside the content and is unchanged; empty if there was none.
  public let additionalData: [UInt8]
  /// The decrypted content.
  public let plaintext: [UInt8]

  init(header: TokenHeader, unprotected: JSONObject = [:], additionalData: [UInt8] = [], plaintext: [UInt8]) {
    self.header = header
    self.unprotected = unprotected
    self.additionalData = additionalData
    self.plaintext = plaintext
  }
}

extension DecryptedMessage: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("DecryptedMessage", "plaintext", plaintext.count, header) }
  /// The length of the plaintext, the algorithm, the key ID and the type: never the plaintext.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
