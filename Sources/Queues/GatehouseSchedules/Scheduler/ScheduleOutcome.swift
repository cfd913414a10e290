/// The outcome of one schedule.
struct ScheduleOutcome: Sendable {
  /// The failure, if there was one.
  var failure: String?
  /// The index of the picked step at each choice.
  var picks: [Int] = []
  /// A hash of the run: equal for equal runs, and almost certainly different for different ones.
  var fingerprint: UInt64 = 0
  var steps = 0
  /// The steps that ran, in order; empty unless a trace was asked for.
  var trace: [String] = []
  /// Whether a given pick was not possible. The oldest step was picked instead.
  var isForeign = false
  /// Whether threads or tasks wait forever. Then no further schedule can run in this process.
  var isStuck = false
}
