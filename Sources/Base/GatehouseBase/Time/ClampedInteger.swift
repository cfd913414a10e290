extension FixedWidthInteger {
  /// Converts a number, rounding toward zero and clamping to the representable range; zero for NaN.
  ///
  /// For numbers from clocks, files and callers, which may be 1e300: `init(_:)` traps on a number that does not fit.
  package init(clamping number: Double) {
    if let exact = Self(exactly: number.rounded(.towardZero)) {
      self = exact
    } else {
      self = number.isNaN ? 0 : number < 0 ? .min : .max
    }
  }
}
