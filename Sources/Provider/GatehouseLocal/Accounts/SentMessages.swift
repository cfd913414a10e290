import GRDB
import GatehouseBase

/// The messages that were sent before, as far as they count against a requested one (decision 91).
///
/// Only a recipient that is proved to be the account's is counted apart. A stranger could otherwise make accounts with
/// another person's address, and send that person messages without limit.
///
///     caller                                              messages are counted for, and limited by
///     has proved to own the message's account             that account; or the device or network, if it has shown a
///                                                         second factor before
///     has the cookie of a device that the account knows   that device
///     calls from a network that the account knows         that network, for this account
///     is an administrator, or holds the provider          the recipient in its tenant, apart from all others
///     any other                                           the recipient in its tenant; the client's largest network,
///                                                         which can use up half of the recipient's limit; and the
///                                                         networks for all recipients
struct SentMessages: Sendable {
  private let recipient: String
  /// Whether the caller is on a device or in a network that the message's account knows.
  private(set) var isKnown = false
  private var counts: [(attempts: Attempts, throttle: Throttle)]

  /// - Parameters:
  ///   - recipient: an email address or a phone number.
  ///   - account: the recipient's account; `nil` for none.
  ///   - tenant: the tenant; empty for the project itself. Each has its own users, and its own messages to them.
  ///   - isOwn: whether the caller has proved to own the account.
  ///   - caller: the caller that requests the message.
  ///   - options: the provider's settings.
  ///   - now: the time of the request.
  ///   - db: the database.
  init(
    to recipient: String, of account: StoredAccount?, in tenant: String, isOwn: Bool = false, _ caller: Caller,
    _ options: LocalOptions, at now: Moment, in db: Database
  ) throws {
    self.recipient = recipient
    let throttle = options.messageThrottle
    func sent(_ kind: Attempts.Kind, _ subject: String, _ throttle: Throttle) throws -> (Attempts, Throttle) {
      (try Attempts.find(kind, subject, throttle, at: now, in: db), throttle)
    }
    let account = account.flatMap { $0.hasProved(recipient, isOwn) ? $0 : nil }
    if let account, isOwn {
      // A person who has only the password must not use up the texts of the owner's phone.
      let known = try KnownDevice.known(of: caller, to: account, for: .secondFactor, in: db)
      isKnown = !known.isEmpty
      let own = try known.map { try sent(.ownMessage, $0.hash, throttle) }
      counts = [try own.first { $0.0.count < throttle.attempts } ?? sent(.ownMessage, account.uid, throttle)]
      return
    }
    // A recipient without an account is looked up as well, so that it takes as long.
    let known = try KnownDevice.known(of: caller, toAccount: account?.uid ?? "", in: db)
    isKnown = !known.isEmpty
    let own = try known.map { try sent(.ownMessage, $0.hash, throttle) }
    if let count = own.first(where: { $0.0.count < throttle.attempts }) ?? own.first {
      counts = [count]
    } else if caller.isAdministrator {
      counts = [try sent(.ownMessage, "administrators \(recipient) \(tenant)", throttle)]
    } else {
      let subject = tenant.isEmpty ? recipient : "\(recipient) \(tenant)"
      counts = [try sent(.message, subject, throttle)]
      guard let network = caller.networks.last?.text else { return }
      counts.append(try sent(.addressMessage, "\(network) \(subject)", throttle.half))
      let toAll = options.networkMessageThrottle
      counts += try NetworkAttempts(.networkMessage, of: caller, toAll, at: now, in: db).counts
    }
  }

  /// Refuses a message over the limit, with the time until the next one is allowed.
  func requireFew(at now: Moment) throws(AuthError) {
    for entry in counts { try entry.attempts.requireFew(entry.throttle, at: now, email: recipient) }
  }

  /// Counts another message, unless it is over the limit.
  ///
  /// - Returns: Whether it is within the limit.
  mutating func addIfFew(at now: Moment, in db: Database) throws -> Bool {
    guard counts.allSatisfy({ $0.attempts.count < $0.throttle.attempts }) else { return false }
    try add(at: now, in: db)
    return true
  }

  /// Counts another message.
  mutating func add(at now: Moment, in db: Database) throws {
    for index in counts.indices { try counts[index].attempts.add(counts[index].throttle, at: now, in: db) }
  }
}

extension StoredAccount {
  /// Whether the account's user has shown to receive what is sent to this address or phone number.
  ///
  /// - Parameter isOwn: whether a code goes to a phone that is a second factor of the account.
  fileprivate func hasProved(_ recipient: String, _ isOwn: Bool) -> Bool {
    guard recipient.utf8.contains(UInt8(ascii: "@")) else { return isOwn || phoneNumber?.isExactly(recipient) == true }
    return emailVerified && email?.isExactly(recipient) == true
  }
}
