package import FoundationEssentials

extension Date {
  /// Creates a date from seconds since 1970.
  package init(wall seconds: Double) { self.init(timeIntervalSince1970: seconds) }

  /// The date in seconds since 1970, the unit of clocks and tokens.
  package var wall: Double { timeIntervalSince1970 }
}
