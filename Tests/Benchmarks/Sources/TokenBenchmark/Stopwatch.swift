import Glibc

/// How long something takes, in seconds.
enum Stopwatch {
  /// By the processor time of the calling thread: what other programs do does not count.
  static func processorTime(of body: () throws -> Void) rethrows -> Double {
    let begin = seconds(CLOCK_THREAD_CPUTIME_ID)
    try body()
    return seconds(CLOCK_THREAD_CPUTIME_ID) - begin
  }

  /// A clock that is never set.
  static var now: Double { seconds(CLOCK_MONOTONIC) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension [Double] {
  /// The middle value; of an even number the upper of the two.
  var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}
