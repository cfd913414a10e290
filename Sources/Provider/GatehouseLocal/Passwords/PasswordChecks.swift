import GatehouseBase
import GatehouseQueues

/// Checks passwords so that the time of a check tells nothing of the account (decision 100).
///
///     the account                                 is checked against            and costs besides
///     has no password, or there is no account     a hash that no password has   nothing
///     has a hash of ours, of the current cost     that hash                     nothing
///     has a hash of another system or cost        that hash                     a hash of ours, made at the same time
///
/// A check in an emulator's home costs what the account's hash costs, and a right password replaces the hash.
struct PasswordChecks: Sendable {
  private let cost: PasswordCost
  private let isEmulators: Bool
  private let absent: PasswordHash

  /// The result of a check.
  struct Outcome: Sendable {
    let matches: Bool
    /// The hash that replaces the account's; `nil` if that is ours already, or the password is wrong.
    var replacement: String?
  }

  /// - Parameter isEmulators: whether the home is an emulator's. No other home has a `ReadablePassword`.
  init(_ cost: PasswordCost, inEmulatorsHome isEmulators: Bool) throws(AuthError) {
    self.cost = cost
    self.isEmulators = isEmulators
    absent = try PasswordHash(ofNone: cost)
  }

  /// Checks a password.
  ///
  /// - Parameter stored: the hash of the account; `nil` if it has none, or there is no account.
  func check(_ password: [UInt8], _ stored: String?) throws(AuthError) -> Outcome {
    guard let stored else {
      _ = try absent.matches(password)
      return Outcome(matches: false)
    }
    if isEmulators { return try checkInEmulatorsHome(password, stored) }
    if let imported = try ImportedHash(text: stored) {
      return try replacing(password) { () throws(AuthError) in try imported.matchesInPlace(password) }
    }
    let own = try PasswordHash(text: stored)
    if own.cost == cost { return Outcome(matches: try own.matches(password)) }
    return try replacing(password) { () throws(AuthError) in try own.matchesInPlace(password) }
  }

  private func checkInEmulatorsHome(_ password: [UInt8], _ stored: String) throws(AuthError) -> Outcome {
    if let readable = ReadablePassword(text: stored) { return Outcome(matches: readable.matches(password)) }
    let isRight = try PasswordHash.threads.sync { () throws(AuthError) in
      if let imported = try ImportedHash(text: stored) { return try imported.matchesInPlace(password) }
      return try PasswordHash(text: stored).matchesInPlace(password)
    }
    return Outcome(matches: isRight, replacement: isRight ? try ReadablePassword(of: password)?.text : nil)
  }

  /// Makes a hash of ours while the other one is checked, so that the longer of the two takes all the time.
  private func replacing(
    _ password: [UInt8], checking matches: @escaping @Sendable () throws(AuthError) -> Bool
  ) throws(AuthError) -> Outcome {
    let outcome = Lock<Result<Bool, AuthError>?>(nil), ended = WatchedSemaphore(value: 0)
    PasswordHash.threads.async {
      let result = Result { () throws(AuthError) in try matches() }
      outcome.withLock { $0 = result }
      ended.signal()
    }
    let made = Result { () throws(AuthError) in try PasswordHash(of: password, cost: cost) }
    ended.wait()
    let own = try made.typed()
    let isRight = try outcome.withLock { $0 }?.typed() ?? false
    return Outcome(matches: isRight, replacement: isRight ? own.text : nil)
  }
}
