/// The maximum sizes of JSON that is read. Larger texts are refused with `jsonTooLarge`.
public struct JSONLimits: Sendable, Hashable {
  /// The longest text, in bytes.
  public var bytes: Int
  /// How deep arrays and objects may nest, at most `deepest`.
  public var depth: Int
  /// How many members one object may have. Each name is compared with each other: keep this small for untrusted input.
  public var members: Int
  /// The longest member name, in bytes.
  public var nameBytes: Int

  /// No limit allows more nesting than this, whatever `depth` says: the parser recurses, and a stack is finite.
  public static let deepest = 512

  /// Limits; the defaults are those of `standard`.
  public init(bytes: Int = 1 << 20, depth: Int = 16, members: Int = 256, nameBytes: Int = 256) {
    self.bytes = bytes
    self.depth = depth
    self.members = members
    self.nameBytes = nameBytes
  }

  /// A mebibyte, 16 levels, 256 members with names of 256 bytes.
  public static let standard = JSONLimits()
}
