/// A JSON number as written: no digits are lost, and nothing is rounded until it is read.
///
/// Two numbers are equal when their texts are equal; `1` and `1.0` differ.
public struct JSONNumber: Sendable, Hashable {
  /// The number's text, in JSON's grammar.
  public let text: String

  /// Creates a number from an integer, exactly.
  public init(_ integer: some BinaryInteger) { text = String(integer) }

  /// Creates a number from a `Double`; `nil` for infinities and NaN, which JSON cannot represent.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    text = double.description
  }

  /// For the parser, which has checked the grammar and that a `Double` can represent the number.
  init(checked text: String) { self.text = text }

  /// The number as an integer; `nil` if it is not one or does not fit. `1.7e9` is one; beyond 2⁵³ only plain digits
  /// are.
  public var integer: Int64? {
    if let integer = Int64(text) { return integer }
    guard abs(double) <= 0x1p53 else { return nil }
    return Int64(exactly: double)
  }

  /// The nearest `Double`, which is always finite.
  public var double: Double { Double(text) ?? 0 }
}

extension JSONNumber: CustomStringConvertible {
  /// The number as it was written.
  public var description: String { text }
}
