import GRDB
import GatehouseBase

extension Attempts {
  /// Returns the attempts of the caller's network; `nil` if these are not limited.
  static func ofNetwork(
    _ kind: Kind, _ caller: Caller, _ throttle: Throttle, at now: Moment, in db: Database
  ) throws -> Attempts? {
    guard throttle.attempts < .max, let network = caller.limitedNetwork else { return nil }
    return try find(kind, network, throttle, at: now, in: db)
  }
}
