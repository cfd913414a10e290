/// A JSON number as it was written: no digit is lost, and nothing is rounded before it is read.
///
/// Two numbers are equal when they are written alike; `1` and `1.0` differ.
public struct JSONNumber: Sendable, Hashable {
  /// The number in JSON's grammar.
  public let text: String

  /// An integer, exactly.
  public init(_ integer: some BinaryInteger) { text = String(integer) }

  /// `nil` for what JSON cannot write: infinities and not-a-number.
  public init?(_ double: Double) {
    guard double.isFinite else { return nil }
    text = double.description
  }

  /// For the parser, which has checked the grammar and that a `Double` can hold the number.
  init(checked text: String) { self.text = text }

  /// The integer; `nil` if this is not one or does not fit. `1.7e9` is one; beyond 2⁵³ only plain digits are.
  public var integer: Int64? {
    if let integer = Int64(text) { return integer }
    guard abs(double) <= 0x1p53 else { return nil }
    return Int64(exactly: double)
  }

  /// The nearest `Double`; always finite.
  public var double: Double { Double(text) ?? 0 }
}

extension JSONNumber: CustomStringConvertible {
  /// The number as it was written.
  public var description: String { text }
}
