/// An encrypted message. All of it may be public.
package struct SealedMessage: Sendable, Hashable {
  /// The number that is used once with a key.
  package let nonce: [UInt8]
  package let ciphertext: [UInt8]
  /// Shows whether anything was changed.
  package let tag: [UInt8]

  package init(nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
    self.nonce = nonce
    self.ciphertext = ciphertext
    self.tag = tag
  }
}
