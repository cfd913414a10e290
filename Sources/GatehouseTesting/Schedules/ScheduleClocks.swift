public import GatehouseBase

/// The clocks of one schedule. Time stands still while anything can run, and then passes to the next alarm at once.
public final class ScheduleClocks: Clocks {
  private let scheduler: ControlledScheduler
  private static let wall = 1_800_000_000.0
  private static let boot = 1_000.0

  init(_ scheduler: ControlledScheduler) { self.scheduler = scheduler }

  public func now() -> ClockReading {
    let passed = scheduler.now
    return ClockReading(wall: Self.wall + passed, boot: Self.boot + passed, bootID: "schedule")
  }

  public func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let moment = min(alarm.boot - Self.boot, alarm.wall.map { $0 - Self.wall } ?? .infinity)
    let number = scheduler.nextNumber()
    scheduler.wake(at: moment, number: number, body)
    return AlarmCancellation { [scheduler] in scheduler.forget(number) }
  }
}
