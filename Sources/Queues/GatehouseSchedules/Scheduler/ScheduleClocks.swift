public import GatehouseBase
import GatehouseQueues

/// The clocks of one schedule. Time does not pass while any step can run; then it jumps to the next alarm.
public final class ScheduleClocks: Clocks {
  private let scheduler: ControlledScheduler
  private let readings = Lock(0)
  private static let wall = 1_800_000_000.0
  private static let boot = 1_000.0
  /// The time between two readings, in seconds.
  private static let step = 1e-10

  init(_ scheduler: ControlledScheduler) { self.scheduler = scheduler }

  /// Reads the clocks. Each reading is a little later than the one before, so that their order is known.
  public func now() -> ClockReading {
    let count = readings.withLock { count in
      count += 1
      return count
    }
    let passed = scheduler.now
    let boot = Self.boot + passed + Double(count) * Self.step
    return ClockReading(wall: Self.wall + passed, boot: boot, bootID: "schedule")
  }

  /// Sets an alarm. It rings when nothing else can happen before it.
  public func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    // Rounded to the microsecond: alarms that differ by a few readings ring at the same moment, in any order.
    let moment = (min(alarm.boot - Self.boot, alarm.wall.map { $0 - Self.wall } ?? .infinity) * 1e6).rounded() / 1e6
    let number = scheduler.nextNumber()
    scheduler.wake(at: moment, number: number, body)
    return AlarmCancellation { [scheduler] in scheduler.forget(number) }
  }
}
