package import FoundationEssentials

extension Date {
  /// A moment in seconds since 1970.
  package init(wall seconds: Double) { self.init(timeIntervalSince1970: seconds) }

  /// The moment in seconds since 1970, as clocks and tokens count it.
  package var wall: Double { timeIntervalSince1970 }
}
