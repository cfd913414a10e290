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

extension Provider {
  /// Refuses a sign-up if the caller's network has created too many accounts.
  func requireFewSignUps(_ caller: Caller, at now: Moment, in db: Database) throws {
    try Attempts.ofNetwork(.signUp, caller, options.signUpThrottle, at: now, in: db)?
      .requireFew(options.signUpThrottle, at: now)
  }

  /// Counts a sign-up for the caller's network, and refuses it if there were too many.
  func countSignUp(_ caller: Caller, at now: Moment, in db: Database) throws {
    guard var made = try Attempts.ofNetwork(.signUp, caller, options.signUpThrottle, at: now, in: db) else { return }
    try made.requireFew(options.signUpThrottle, at: now)
    try made.add(options.signUpThrottle, at: now, in: db)
  }
}
