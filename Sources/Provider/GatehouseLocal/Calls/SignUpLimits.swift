import GRDB
import GatehouseBase

extension Provider {
  /// Refuses a sign-up if the caller's network has created too many accounts.
  func requireFewSignUps(_ caller: Caller, at now: Moment, in db: Database) throws {
    try Attempts.ofNetwork(.signUp, caller, options.signUpThrottle, at: now, in: db)?
      .requireFew(options.signUpThrottle, at: now)
  }

  /// Counts a refusal that tells that an address has an account, like a sign-up: otherwise a network could ask about
  /// any number of addresses.
  func countingTold<Value>(
    _ caller: Caller, at now: Moment, _ call: () throws(AuthError) -> Value
  ) throws(AuthError) -> Value {
    do throws(AuthError) { return try call() } catch {
      if error.code == .emailAlreadyInUse { try database.write { db in try countSignUp(caller, at: now, in: db) } }
      throw error
    }
  }

  /// Counts a sign-up for the caller's network, and refuses it if there were too many.
  func countSignUp(_ caller: Caller, at now: Moment, in db: Database) throws {
    guard var made = try Attempts.ofNetwork(.signUp, caller, options.signUpThrottle, at: now, in: db) else { return }
    try made.requireFew(options.signUpThrottle, at: now)
    try made.add(options.signUpThrottle, at: now, in: db)
  }
}
