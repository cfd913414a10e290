/// A time in milliseconds since 1970 that the protocol writes as a number, and not as text.
public struct Milliseconds: Codable, Sendable, Hashable {
  /// The milliseconds since 1970. A server may send a fraction.
  public let value: Double

  /// Makes a time.
  public init(_ value: Double) { self.value = value }

  /// Reads a number.
  public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }

  /// Writes a number, without a fraction if it has none.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard let whole = Int64(exactly: value) else { return try container.encode(value) }
    try container.encode(whole)
  }
}
