/// The result of a run of schedules.
public struct ScheduleReport: Sendable {
  /// The number of schedules that were run.
  public internal(set) var schedules = 0
  /// The number of different schedules among them.
  public internal(set) var different = 0
  /// The total number of their steps.
  public internal(set) var steps = 0
  /// The duration, in real time.
  public internal(set) var duration = Duration.zero
  /// The first schedule that failed; nothing was tried after it.
  public internal(set) var failure: ScheduleFailure?
}

/// A schedule that failed.
public struct ScheduleFailure: Sendable, CustomStringConvertible {
  /// The description of the failure.
  public internal(set) var message: String
  /// The schedule as a string: `Schedules.replay` runs it again, in this process or another run of the same program.
  public internal(set) var schedule: String
  /// The steps that ran, in order: the time, the pick and the number of candidates, the queue, the step. Empty if the
  /// schedule could not be run again here, because threads wait in it without end.
  public internal(set) var trace: [String] = []
  /// Whether running the schedule again gave a different result. If so, real time, real random numbers, the order of a
  /// hashed collection or a thread outside the schedule affects it.
  public internal(set) var isUnsteady = false

  /// The failure and its schedule, for people.
  public var description: String {
    var lines = [message, "schedule: \(schedule)"]
    if isUnsteady {
      lines.append(
        """
        Run again, it had another result. Something outside the schedule affects it: a real clock, real random \
        numbers, a raw queue or thread, or the order of a dictionary or set (run with SWIFT_DETERMINISTIC_HASHING=1).
        """)
    }
    return lines.joined(separator: "\n")
  }
}
