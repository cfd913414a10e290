public import GatehouseBase
import GatehouseQueues

/// The clocks of one schedule. Time stands still while anything can run, and then passes to the next alarm at once.
public final class ScheduleClocks: Clocks {
  private let scheduler: ControlledScheduler
  private let readings = Lock(0)
  private static let wall = 1_800_000_000.0
  private static let boot = 1_000.0

  init(_ scheduler: ControlledScheduler) { self.scheduler = scheduler }

  /// Each reading is a microsecond later than the one before, so that they tell which came first.
  public func now() -> ClockReading {
    let count = readings.withLock { count in
      count += 1
      return count
    }
    let passed = scheduler.now + Double(count) * 1e-6
    return ClockReading(wall: Self.wall + passed, boot: Self.boot + passed, bootID: "schedule")
  }

  public func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let moment = min(alarm.boot - Self.boot, alarm.wall.map { $0 - Self.wall } ?? .infinity)
    let number = scheduler.nextNumber()
    scheduler.wake(at: moment, number: number, body)
    return AlarmCancellation { [scheduler] in scheduler.forget(number) }
  }
}
