/// A 64-bit integer that travels as a decimal string, as the protocol's integers do; a number is read as well.
public struct DecimalString: Codable, Sendable, Hashable {
  public var value: Int64

  public init(_ value: Int64) { self.value = value }

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

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(value))
  }
}
