public import GatehouseBase

/// What a `TokenDecrypter` has decrypted.
///
/// Only the sender and the owner of the key could read it. It does not prove who the sender is: anyone can encrypt to a
/// public key. So it has no claims; `NestedTokenVerifier` gives those of a signed token inside, and `ClaimsDecrypter`
/// those that were only encrypted.
public struct DecryptedMessage: Sendable {
  /// The protected header: readable by anyone, and unchanged. In JSON, `algorithm` and `keyID` may come from
  /// `unprotected`, where they led to the key.
  public let header: TokenHeader
  /// In JSON, the members of the shared and of the receiver's own header: anyone on the way could change them.
  public let unprotected: JSONObject
  /// In JSON, what was sent readable and unchanged beside the content, `aad`; empty if there was nothing.
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
  /// The length of the plaintext, the algorithm, the key's name and the type: never the plaintext.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
