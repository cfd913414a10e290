extension Duration {
  /// The same span as a number of seconds.
  package var inSeconds: Double { self / .seconds(1) }

  /// A number of seconds, clamped to what a `Duration` can hold; zero for NaN.
  ///
  /// `Duration.seconds(_:)` stops the process on a number that does not fit.
  package init(seconds: Double) {
    self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e20), 1e20))
  }
}
