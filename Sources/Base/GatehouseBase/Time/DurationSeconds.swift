extension Duration {
  /// The same span as a number of seconds.
  package var inSeconds: Double { self / .seconds(1) }

  /// Its whole seconds, rounded toward zero, clamped to 64 bits: `components` stops the process where they do not fit.
  package var wholeSeconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000_000) }

  /// A number of seconds, clamped to what a `Duration` can hold; zero for NaN.
  ///
  /// `Duration.seconds(_:)` stops the process on a number that does not fit.
  package init(seconds: Double) {
    self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e20), 1e20))
  }
}
