/// A 64-bit integer that is sent as a decimal string, like the protocol's integers; a number is accepted as well.
public struct DecimalString: Codable, Sendable, Hashable {
  /// The integer.
  public var value: Int64

  /// Wraps an integer.
  public init(_ value: Int64) { self.value = value }

  /// The whole seconds of a duration, rounded toward zero.
  public init(secondsOf duration: Duration) { value = duration.wholeSeconds }

  /// Reads a string of decimal digits, or a number.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for text that is not a 64-bit integer.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      value = number
    } else if let number = Int64(try container.decode(String.self)) {
      value = number
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a whole number in decimal digits")
    }
  }

  /// Writes a string of decimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(value))
  }
}
