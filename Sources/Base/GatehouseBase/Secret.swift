/// Text that must not be seen: a password or a refresh token.
///
/// Prints `•••` however it is printed, and shows nothing to a mirror or a debugger's dump. It is `Codable` so that
/// stores can keep it: whoever encodes it decides where it goes.
public struct Secret: Sendable, Hashable, Codable {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// The text itself. Look for this name when you ask where secrets go.
  public var revealed: String { text }

  public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Whether both are the same bytes: é and e with an accent are two. How long it takes tells their lengths, and
  /// nothing else.
  public static func == (left: Self, right: Self) -> Bool {
    let left = left.text.utf8.span, right = right.text.utf8.span
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for place in left.indices { difference |= left[place] ^ right[place] }
    return difference == 0
  }

  public func hash(into hasher: inout Hasher) { text.hashExactly(into: &hasher) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "•••" }
  public var debugDescription: String { "•••" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
