/// An encrypted message. All of it may be public.
package struct SealedMessage: Sendable, Hashable {
  /// The nonce. It is used only once with a key.
  package let nonce: [UInt8]
  package let ciphertext: [UInt8]
  /// The authentication tag. It reveals any change.
  package let tag: [UInt8]

  package init(nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
    self.nonce = nonce
    self.ciphertext = ciphertext
    self.tag = tag
  }
}
