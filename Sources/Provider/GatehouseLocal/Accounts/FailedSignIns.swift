import GRDB
import GatehouseBase

/// The failure counts that apply to one sign-in by password, or to one second factor (decisions 80 and 104).
///
///     the caller                                          its failures count for, and are limited by
///     has the cookie of a known device of the account     that device
///     calls from a known network of the account           that network, for this account
///     the same, but both have reached the limit           like any other
///     is any other                                        the account; the client's largest network, which can use
///                                                         up half of the account's limit; and the client's networks
///                                                         for all accounts
///
/// For a second factor, known are the devices and networks that have shown one, and a network's failures are not counted
/// over all accounts.
struct FailedSignIns: Sendable {
  private var counts: [(attempts: Attempts, throttle: Throttle)]
  private let device: KnownDevice?
  /// The address of the account, for a sign-in by password.
  private var email: String?

  init(
    _ email: EmailAddress, of tenant: String, _ account: StoredAccount?, _ caller: Caller, _ options: LocalOptions,
    at now: Moment,
    in db: Database
  ) throws {
    self.email = email.text
    // Looked up without an account too, so that it takes as long.
    for device in try KnownDevice.known(of: caller, toAccount: account?.uid ?? "", in: db) {
      let own = try Attempts.find(.device, device.hash, options.throttle, at: now, in: db)
      if own.count < options.throttle.attempts {
        counts = [(own, options.throttle)]
        self.device = device
        return
      }
    }
    device = nil
    let subject = Attempts.subject(email, of: tenant)
    counts = [(try Attempts.find(.signIn, subject, options.throttle, at: now, in: db), options.throttle)]
    counts += try Self.share(of: .signIn, subject, caller, options.throttle, at: now, in: db)
    counts += try NetworkAttempts(.address, caller.networks, options.addressThrottle, at: now, in: db).counts
  }

  /// The counts of a second factor.
  init(
    factorOf account: StoredAccount, _ caller: Caller, _ options: LocalOptions, at now: Moment, in db: Database
  ) throws {
    let throttle = options.secondFactorThrottle
    for device in try KnownDevice.known(of: caller, to: account, for: .secondFactor, in: db) {
      let own = try Attempts.find(.factorDevice, device.hash, throttle, at: now, in: db)
      if own.count < throttle.attempts {
        counts = [(own, throttle)]
        self.device = device
        return
      }
    }
    device = nil
    counts = [(try Attempts.find(.secondFactor, account.uid, throttle, at: now, in: db), throttle)]
    counts += try Self.share(of: .secondFactor, account.uid, caller, throttle, at: now, in: db)
  }

  /// Returns the failures of the caller's largest network for one account, which has half of the account's limit: one
  /// network must not lock the owner out of all others (decision 150). There are none for an unlimited caller.
  private static func share(
    of kind: Attempts.Kind, _ subject: String, _ caller: Caller, _ throttle: Throttle, at now: Moment, in db: Database
  ) throws -> [(Attempts, Throttle)] {
    guard let share = kind.share, let network = caller.limitedNetworks.last?.text else { return [] }
    let own = Attempts.subject(subject, from: network)
    return [(try Attempts.find(share, own, throttle.half, at: now, in: db), throttle.half)]
  }

  /// Returns the current counts.
  func again(at now: Moment, in db: Database) throws -> FailedSignIns {
    var copy = self
    copy.counts = try counts.map { entry in
      (try Attempts.find(entry.attempts.kind, entry.attempts.subject, entry.throttle, at: now, in: db), entry.throttle)
    }
    return copy
  }

  /// Throws, with the seconds left to wait, if a limit is reached.
  ///
  /// - Parameter email: the account's address, for a second factor.
  func requireFew(at now: Moment, email: String? = nil) throws(AuthError) {
    for entry in counts { try entry.attempts.requireFew(entry.throttle, at: now, email: email ?? self.email) }
  }

  /// Counts one more failure.
  mutating func add(at now: Moment, in db: Database) throws {
    for index in counts.indices { try counts[index].attempts.add(counts[index].throttle, at: now, in: db) }
  }

  /// Resets the counts after a successful sign-in. On a known device or network, the account's count is kept; the count
  /// of a network address for all accounts is always kept.
  func forget(at now: Moment, in db: Database) throws {
    for entry in counts where entry.attempts.kind != .address {
      try Attempts.forget(entry.attempts.kind, entry.attempts.subject, in: db)
    }
    guard let device else { return }
    // It may be forgotten since: an administrator has ended the sessions while the password was checked.
    try db.change("UPDATE knownDevice SET usedAt = max(usedAt, ?) WHERE hash = ?", [now.seconds, device.hash])
  }
}
