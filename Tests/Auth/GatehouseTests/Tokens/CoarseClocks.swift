import Gatehouse
import GatehouseQueues
import GatehouseTesting

/// Clocks whose readings are rounded down, as those of a kernel with a slow tick are. Their alarms go by the true time.
struct CoarseClocks: Clocks {
  let clocks: ManualClocks
  /// Readings are multiples of this, in seconds.
  let step: Double

  func now() -> ClockReading {
    let now = clocks.now()
    return ClockReading(wall: rounded(now.wall), boot: rounded(now.boot), bootID: now.bootID)
  }

  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    clocks.wake(at: alarm, body)
  }

  private func rounded(_ seconds: Double) -> Double { (seconds / step).rounded(.down) * step }
}
