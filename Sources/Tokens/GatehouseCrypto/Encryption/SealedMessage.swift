/// What a message becomes when it is encrypted: all of it may be shown to everybody.
public struct SealedMessage: Sendable, Hashable {
  /// The number that is used once with a key.
  public let nonce: [UInt8]
  public let ciphertext: [UInt8]
  /// Shows whether anything was changed.
  public let tag: [UInt8]

  public init(nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
    self.nonce = nonce
    self.ciphertext = ciphertext
    self.tag = tag
  }
}
