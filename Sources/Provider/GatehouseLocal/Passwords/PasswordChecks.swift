import GatehouseBase
import GatehouseQueues

/// Checks passwords so that the time of a check tells nothing of the account (decision 100).
///
///     the account                                 is checked against            and costs besides
///     has no password, or there is no account     a hash that no password has   nothing
///     has a hash of ours, of the current cost     that hash                     nothing
///     has a hash of another system or cost        that hash                     a hash of ours, made at the same time
///     has a hash above `HashWork.maximum`         a hash that no password has   nothing
///
/// A check in an emulator's home costs what the account's hash costs, and a right password replaces the hash.
struct PasswordChecks: Sendable {
  private let cost: PasswordCost
  private let isEmulators: Bool
  private let absent: PasswordHash
  private let warn: @Sendable (String) -> Void
  /// Whether a hash above the maximum was reported.
  private let isReported = Lock(false)

  /// The result of a check.
  struct Outcome: Sendable {
    let matches: Bool
    /// The hash that replaces the account's; `nil` if that is ours already, or the password is wrong.
    var replacement: String?
  }

  /// - Parameters:
  ///   - isEmulators: whether the home is an emulator's. No other home has a `ReadablePassword`.
  ///   - warn: writes a line to the app's log, elsewhere.
  init(
    _ cost: PasswordCost, inEmulatorsHome isEmulators: Bool, warn: @escaping @Sendable (String) -> Void
  ) throws(AuthError) {
    self.cost = cost
    self.isEmulators = isEmulators
    self.warn = warn
    absent = try PasswordHash(ofNone: cost)
  }

  /// Checks a password.
  ///
  /// - Parameters:
  ///   - stored: the hash of the account; `nil` if it has none, or there is no account.
  ///   - uid: the account, for the log.
  func check(_ password: [UInt8], _ stored: String?, of uid: String?) throws(AuthError) -> Outcome {
    guard let stored else {
      _ = try absent.matches(password)
      return Outcome(matches: false)
    }
    if isEmulators, let readable = ReadablePassword(text: stored) {
      return Outcome(matches: readable.matches(password))
    }
    let hash = try StoredHash(text: stored)
    guard hash.work.isAllowed else {
      report(uid ?? "")
      _ = try absent.matches(password)
      return Outcome(matches: false)
    }
    if isEmulators {
      let isRight = try threads(for: hash).sync { () throws(AuthError) in try hash.matchesInPlace(password) }
      return Outcome(matches: isRight, replacement: isRight ? try ReadablePassword(of: password)?.text : nil)
    }
    if case .own(let own) = hash, own.cost == cost { return Outcome(matches: try own.matches(password)) }
    return try replacing(password, checking: hash)
  }

  /// Whether checking a password of an account with this hash takes much more work or memory than making one of ours.
  func isCostly(_ stored: String?) -> Bool {
    guard let stored, let hash = try? StoredHash(text: stored) else { return false }
    return hash.work.isCostly(besides: HashWork(cost))
  }

  private func threads(for hash: StoredHash) -> BackgroundQueue {
    hash.work.isCostly(besides: HashWork(cost)) ? HashThreads.costly : HashThreads.ordinary
  }

  /// Reports an account whose hash is above the maximum, once: anyone can send wrong passwords.
  private func report(_ uid: String) {
    let isFirst = isReported.withLock { isReported in
      defer { isReported = true }
      return !isReported
    }
    guard isFirst else { return }
    warn(
      "the password hash of the account \(uid.printable()) costs more than a hash may (Docs/server.md), and "
        + "perhaps others' do; its password is refused as a wrong one until its user resets it")
  }

  /// Makes a hash of ours while the other one is checked, so that the longer of the two takes all the time.
  private func replacing(
    _ password: [UInt8], checking hash: StoredHash
  ) throws(AuthError) -> Outcome {
    let outcome = Lock<Result<Bool, AuthError>?>(nil), ended = WatchedSemaphore(value: 0)
    threads(for: hash).async {
      let result = Result { () throws(AuthError) in try hash.matchesInPlace(password) }
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
