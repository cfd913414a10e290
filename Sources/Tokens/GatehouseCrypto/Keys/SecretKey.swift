public import GatehouseBase

/// A secret that two sides share.
///
/// At least 16 bytes long, for HMAC as long as the hash (RFC 7518 §3.2), and nothing that looks like a public key: a
/// server that is tricked into using one as a shared secret accepts tokens from anyone. Overwritten when the last
/// copy is released; never printed. Any thread, all at once.
public struct SecretKey: Sendable {
  /// The secret itself.
  public let bytes: SecretBytes

  /// The fewest and the most bytes that a key may have.
  public static let lengths = 16...1024

  /// A shared secret of 16 to 1024 bytes. Throws `keyInvalid` for another length, or for a public key.
  public init(_ bytes: [UInt8]) throws(AuthError) {
    guard Self.lengths.contains(bytes.count) else {
      throw AuthError(.keyInvalid, "a shared secret must have 16 to 1024 bytes; this one has \(bytes.count)")
    }
    guard !PublicMaterial.isRecognized(bytes) else {
      throw AuthError(.keyInvalid, "a public key cannot be used as a shared secret")
    }
    self.bytes = SecretBytes(bytes)
  }

  /// A new key of random bytes.
  public static func generate(count: Int = 32) throws(AuthError) -> SecretKey {
    guard lengths.contains(count) else {
      throw AuthError(.invalidArgument, "a shared secret must have 16 to 1024 bytes")
    }
    var bytes = try RandomBytes.make(count)
    while PublicMaterial.isRecognized(bytes) { bytes = try RandomBytes.make(count) }
    return try SecretKey(bytes)
  }

  /// Length in bytes.
  public var count: Int { bytes.count }

  /// A copy of the key. Look for this name when you ask where shared secrets go.
  public var revealedBytes: [UInt8] { bytes.revealed }
}

extension SecretKey: Equatable {}

extension SecretKey: CustomStringConvertible, CustomReflectable {
  /// `•••`.
  public var description: String { "•••" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
