/// Text that must not be seen: a password or a refresh token.
///
/// Prints `•••` however it is printed, and shows nothing to a mirror or a debugger's dump. It is `Codable` so that
/// stores can keep it: encoding writes the text itself.
public struct Secret: Sendable, Hashable, Codable {
  private let text: String

  /// Wraps a text.
  public init(_ text: String) { self.text = text }

  /// The text itself. Search for this name to find where secrets go.
  public var revealed: String { text }

  /// Reads a plain string.
  public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  /// Writes the text itself.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Whether both are the same bytes: é and e with an accent are two. The time it takes depends on the lengths only.
  public static func == (left: Self, right: Self) -> Bool {
    let left = left.text.utf8.span, right = right.text.utf8.span
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { text.hashExactly(into: &hasher) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `•••`.
  public var description: String { "•••" }
  /// `•••`.
  public var debugDescription: String { "•••" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
