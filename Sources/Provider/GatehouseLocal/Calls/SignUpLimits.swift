import GRDB
import GatehouseBase

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
