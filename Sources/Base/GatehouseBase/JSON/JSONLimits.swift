/// The size limits for reading JSON. Larger texts are rejected with `jsonTooLarge`.
public struct JSONLimits: Sendable, Hashable {
  /// The maximum length of a text, in bytes.
  public var bytes: Int
  /// The maximum nesting depth of arrays and objects, at most `deepest`.
  public var depth: Int
  /// The maximum number of members of one object. Each name is compared with all others: keep this small for untrusted
  /// input.
  public var members: Int
  /// The maximum length of a member name, in bytes.
  public var nameBytes: Int

  /// The maximum nesting depth regardless of `depth`: the parser is recursive, and a stack is finite.
  public static let deepest = 512

  /// Creates limits; the defaults are those of `standard`.
  public init(bytes: Int = 1 << 20, depth: Int = 16, members: Int = 256, nameBytes: Int = 256) {
    self.bytes = bytes
    self.depth = depth
    self.members = members
    self.nameBytes = nameBytes
  }

  /// A mebibyte, 16 levels, 256 members with names of 256 bytes.
  public static let standard = JSONLimits()
}
