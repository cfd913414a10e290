import Foundation
import Glibc

/// The machine's clocks: `CLOCK_REALTIME` and `CLOCK_BOOTTIME`.
public struct SystemClocks: Clocks {
  public init() {}

  public func now() -> ClockReading {
    ClockReading(
      wall: SystemTime.seconds(CLOCK_REALTIME), boot: SystemTime.seconds(CLOCK_BOOTTIME), bootID: Self.bootID)
  }

  public var wall: Double { SystemTime.seconds(CLOCK_REALTIME_COARSE) }

  /// Sleeps in steps of at most half a minute: timers stand still in suspend, and the wall clock may be set.
  public func sleep(until alarm: Alarm) async {
    while !Task.isCancelled {
      let now = now()
      if alarm.isReached(at: now) { return }
      let remaining = min(alarm.boot - now.boot, (alarm.wall ?? .infinity) - now.wall)
      // An alarm that is no number is never reached; it must not reach `Duration` either, which would trap.
      let step = remaining.isFinite ? min(max(remaining, 0.001), 30) : 30
      try? await Task.sleep(for: .seconds(step))
    }
  }

  private static let bootID: String =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))
    .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? UUID().uuidString  // unknown: the same as no other
}

/// The kernel's clocks as seconds.
package enum SystemTime {
  /// What a clock shows, in seconds.
  fileprivate static func seconds(_ clock: clockid_t) -> Double { Double(nanoseconds(clock)) / 1e9 }

  /// What a clock shows, in nanoseconds.
  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // `unsafe`: the kernel writes one `timespec`, and this is one.
    guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Processor time that this thread has used, in nanoseconds.
  package static var thread: Int64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
  /// A clock that is never set, in nanoseconds: for durations within one process.
  package static var monotonic: Int64 { nanoseconds(CLOCK_MONOTONIC) }
}
