import GatehouseBase

/// A time in the form of tokens (RFC 7519 §2): seconds since 1970, fractions allowed, up to the year 9999.
///
/// Strings, negative numbers and later times are rejected: clamping them would make tokens that never expire.
struct NumericDate {
  let seconds: Double

  private static let last: Double = 253_402_300_799

  /// A time as Gatehouse's tokens write it: rounded down to whole seconds; `nil` if a token cannot contain it.
  static func wholeSeconds(_ seconds: Double) -> Int64? {
    let whole = seconds.rounded(.down)
    return (0...last).contains(whole) ? Int64(whole) : nil
  }

  init?(_ value: JSONValue) {
    guard let number = value.number, !number.text.hasPrefix("-") else { return nil }
    self.init(number.double)
  }

  init?(_ value: ScannedValue, in claims: ScannedObject) {
    guard let double = claims.double(value), !claims.isNegative(value) else { return nil }
    self.init(double)
  }

  private init?(_ seconds: Double) {
    guard seconds <= Self.last else { return nil }
    self.seconds = seconds
  }
}
