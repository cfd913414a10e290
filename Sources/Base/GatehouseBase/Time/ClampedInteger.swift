extension FixedWidthInteger {
  /// The nearest integer towards zero, clamped to what fits; zero for NaN.
  ///
  /// For numbers from clocks, files and callers, which may be 1e300: `init(_:)` stops the process on what does not fit.
  package init(clamping number: Double) {
    if let exact = Self(exactly: number.rounded(.towardZero)) {
      self = exact
    } else {
      self = number.isNaN ? 0 : number < 0 ? .min : .max
    }
  }
}
