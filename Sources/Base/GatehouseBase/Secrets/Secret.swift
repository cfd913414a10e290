/// Secret text, such as a password or a refresh token.
///
/// Always printed as `•••`, and hidden from mirrors and debugger dumps. `Codable` so that stores can keep it: encoding
/// writes the text itself.
public struct Secret: Sendable, Hashable, Codable {
  private let text: String

  /// Wraps a text.
  public init(_ text: String) { self.text = text }

  /// The text itself. Search for this name to find where secrets go.
  public var revealed: String { text }

  /// Decodes a plain string.
  public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  /// Encodes the text itself.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Whether both are the same bytes: é and e with a combining accent differ. The time taken depends only on the
  /// lengths.
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
