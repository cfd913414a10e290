/// What a `TokenDecrypter` has decrypted.
///
/// Only the sender and the owner of the key could read it. It does not prove who the sender is: anyone can encrypt to a
/// public key. So it has no claims; `NestedTokenVerifier` gives those of a signed token inside.
public struct DecryptedMessage: Sendable {
  /// The header: readable by anyone, and unchanged.
  public let header: TokenHeader
  /// The decrypted content.
  public let plaintext: [UInt8]

  init(header: TokenHeader, plaintext: [UInt8]) {
    self.header = header
    self.plaintext = plaintext
  }
}
