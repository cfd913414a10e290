import GatehouseBase

/// A secret that two sides share.
///
/// It has at least 16 bytes, for HMAC at least the hash's length (RFC 7518 §3.2), and must not look like a public key:
/// a server that is tricked into using a public key as a shared secret accepts tokens from anyone. Overwritten when the
/// last copy is released; never printed. Usable from any thread.
public struct SecretKey: Sendable {
  /// The secret itself.
  public let bytes: SecretBytes

  /// The minimum and the maximum number of bytes in a key.
  public static let lengths = 16...1024

  /// Makes a shared secret of 16 to 1024 bytes. Throws `keyInvalid` for another length, or for a public key.
  public init(_ bytes: [UInt8]) throws {
    guard Self.lengths.contains(bytes.count) else {
      throw AuthError(.keyInvalid, "a shared secret must have 16 to 1024 bytes; this one has \(bytes.count)")
    }
    guard !PublicMaterial.isRecognized(bytes) else {
      throw AuthError(.keyInvalid, "a public key cannot be used as a shared secret")
    }
    self.bytes = SecretBytes(bytes)
  }

  /// Makes a key from random bytes.
  public static func generate(count: Int = 32) throws -> SecretKey {
    guard lengths.contains(count) else {
      throw AuthError(.invalidArgument, "a shared secret must have 16 to 1024 bytes")
    }
    var bytes = try RandomBytes.make(count)
    while PublicMaterial.isRecognized(bytes) { bytes = try RandomBytes.make(count) }
    return try SecretKey(bytes)
  }

  /// The length in bytes.
  public var count: Int { bytes.count }

  /// A copy of the key. Search for this name to find where shared secrets are exposed.
  public var revealedBytes: [UInt8] { bytes.revealed }
}

extension SecretKey: Equatable {}

extension SecretKey: CustomStringConvertible, CustomReflectable {
  /// `•••`.
  public var description: String { "•••" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
