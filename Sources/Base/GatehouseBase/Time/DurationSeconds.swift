extension Duration {
  /// The duration in seconds.
  package var inSeconds: Double { self / .seconds(1) }

  /// The duration in whole seconds, rounded toward zero and clamped to 64 bits: `components` traps if they do not fit.
  package var wholeSeconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000_000) }

  /// Converts a number of seconds, clamped to the range of a `Duration`; zero for NaN.
  ///
  /// `Duration.seconds(_:)` traps on a number that does not fit.
  package init(seconds: Double) {
    self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e20), 1e20))
  }
}
