package import Gatehouse
import HangGuard

extension Auth.Timeouts {
  /// Limits that only a call that hangs reaches: a busy machine reaches those of an app, on its own clock.
  package static var patient: Self {
    var timeouts = Self()
    let limit = Duration.seconds(Watchdog.seconds)
    (timeouts.call, timeouts.refresh, timeouts.store) = (limit, limit, limit)
    return timeouts
  }
}
