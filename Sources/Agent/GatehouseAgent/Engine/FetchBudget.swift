/// A bucket of permits for fetches. A permit returns one second after it was taken, so that in no second more fetches
/// begin than there are permits, after an outage neither.
struct FetchBudget {
  /// The moments on the boot clock at which the permits return: the oldest at `next`.
  private var returns: [Double]
  private var next = 0

  /// - Parameter permits: the maximum number of fetches that begin in one second; at least 1.
  init(permits: Int) { returns = Array(repeating: -.infinity, count: max(permits, 1)) }

  /// The moment at which the next permit is there, on the boot clock.
  var nextPermit: Double { returns[next] }

  /// Takes a permit. Called when there is one.
  mutating func take(at now: Double) {
    returns[next] = now + 1
    next = (next + 1) % returns.count
  }
}
