// Numbers from clocks, servers, files and callers may be NaN, infinite or 1e300. The standard conversions stop the
// process on those; these do not.
extension Duration {
  /// The longest duration that `seconds(clamping:)` makes: 30 thousand million years.
  package static let longest = Duration.seconds(1_000_000_000_000_000_000)

  /// A duration of so many seconds, clamped to `longest` and its negative; zero for NaN.
  package static func seconds(clamping seconds: Double) -> Duration {
    guard !seconds.isNaN else { return .zero }
    return .seconds(min(max(seconds, -1e18), 1e18))
  }
}

extension FixedWidthInteger {
  /// The nearest integer towards zero, clamped to what fits; zero for NaN.
  package init(clamping number: Double) {
    if let exact = Self(exactly: number.rounded(.towardZero)) {
      self = exact
    } else {
      self = number.isNaN ? 0 : number < 0 ? .min : .max
    }
  }
}
