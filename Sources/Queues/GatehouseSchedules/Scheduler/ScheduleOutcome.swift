/// How one schedule ended.
struct ScheduleOutcome: Sendable {
  /// The failure, if there was one.
  var failure: String?
  /// Which step was picked wherever there was a choice.
  var picks: [Int] = []
  /// A hash of the run: equal for equal runs, and almost certainly different for different ones.
  var fingerprint: UInt64 = 0
  var steps = 0
  /// The steps that ran, in order; empty unless a trace was asked for.
  var trace: [String] = []
  /// Whether a pick that was given could not be made; the oldest step was picked then.
  var isForeign = false
  /// Whether threads or tasks wait for ever: then nothing more can be run in this process.
  var isStuck = false
}
