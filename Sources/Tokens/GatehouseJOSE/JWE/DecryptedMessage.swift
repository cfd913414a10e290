/// What a `TokenDecrypter` has decrypted.
///
/// Nobody but the sender and the owner of the key could read it. Who the sender was it does not say: with a public
/// key everybody encrypts. So there are no claims here; `NestedTokenVerifier` gives those of a signed token inside.
public struct DecryptedMessage: Sendable {
  /// The header, which was not hidden, and which nobody changed.
  public let header: TokenHeader
  public let plaintext: [UInt8]

  init(header: TokenHeader, plaintext: [UInt8]) {
    self.header = header
    self.plaintext = plaintext
  }
}
