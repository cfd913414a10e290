import Dispatch
import Foundation
import Glibc
import SwiftOverlayShims  // `timespec`: the compiler finds it here or in Glibc, depending on the other files

/// The machine's clocks: `CLOCK_REALTIME` and `CLOCK_BOOTTIME`.
public struct SystemClocks: Clocks {
  /// Creates the clocks; all are equivalent.
  public init() {}

  /// Returns the current reading of both clocks.
  public func now() -> ClockReading {
    ClockReading(
      wall: SystemTime.seconds(CLOCK_REALTIME), boot: SystemTime.seconds(CLOCK_BOOTTIME), bootID: Self.bootID)
  }

  /// The wall clock's current time. Does not use the coarse clock, which is up to 4 ms behind: a token that has just
  /// been signed would not be valid yet.
  public var wall: Double { SystemTime.seconds(CLOCK_REALTIME) }

  /// Sets an alarm. Alarms share one serial queue, to which Dispatch gives a thread even when many threads are blocked.
  /// A distant alarm is checked every half minute, because timers stop during suspend and the wall clock may be set.
  public func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let timer = Timer(source: DispatchSource.makeTimerSource(queue: Self.timers))
    timer.source.setEventHandler { [clocks = self] in
      let now = clocks.now()
      guard alarm.isReached(at: now) else { return timer.source.schedule(deadline: .now() + alarm.step(from: now)) }
      timer.source.cancel()  // also releases this handler, which holds the timer
      body()
    }
    timer.source.schedule(deadline: .now() + alarm.step(from: now()))
    timer.source.activate()
    return AlarmCancellation { timer.source.cancel() }
  }

  /// `@unchecked`: Dispatch's sources may be used from any thread; on Linux their protocol does not say so.
  private struct Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private static let timers = DispatchQueue(label: "gatehouse.timers")

  private static let bootID: String =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))
    .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? UUID().uuidString  // unknown: unequal to every other
}

extension Alarm {
  /// The time to wait before the next check of the clocks, in seconds. NaN must not reach Dispatch.
  fileprivate func step(from now: ClockReading) -> Double {
    let remaining = min(boot - now.boot, (wall ?? .infinity) - now.wall)
    return remaining.isFinite ? min(max(remaining, 0), 30) : 30
  }
}

/// The kernel's clocks.
package enum SystemTime {
  /// A clock's current time, in seconds.
  fileprivate static func seconds(_ clock: clockid_t) -> Double { Double(nanoseconds(clock)) / 1e9 }

  /// A clock's current time, in nanoseconds.
  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // `unsafe`: the kernel writes one `timespec`, to a variable of that type.
    guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The processor time that this thread has used, in nanoseconds.
  package static var thread: Int64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
  /// The monotonic clock's time, in nanoseconds: for durations within one process.
  package static var monotonic: Int64 { nanoseconds(CLOCK_MONOTONIC) }
}
