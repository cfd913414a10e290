import GRDB
import GatehouseBase

/// The attempts of one kind of a caller's network, and of the larger networks around it, each with its own limit.
struct NetworkAttempts: Sendable {
  private(set) var counts: [(attempts: Attempts, throttle: Throttle)]

  /// Finds the attempts of the networks whose sign-ups and messages are limited. There are none without a limit.
  init(_ kind: Attempts.Kind, of caller: Caller, _ throttle: Throttle, at now: Moment, in db: Database) throws {
    try self.init(kind, caller.limitedNetworks, throttle, at: now, in: db)
  }

  init(
    _ kind: Attempts.Kind, _ networks: [Caller.Network], _ throttle: Throttle, at now: Moment, in db: Database
  ) throws {
    guard throttle.attempts < .max else {
      counts = []
      return
    }
    counts = try networks.map { network in
      let throttle = throttle.times(network.share)
      return (try Attempts.find(kind, network.text, throttle, at: now, in: db), throttle)
    }
  }

  /// Throws, with the seconds left to wait, if a limit is reached.
  ///
  /// - Parameter open: the number of further attempts of each network, by its text, whose outcome is not known yet.
  func requireFew(at now: Moment, open: [String: Int64] = [:]) throws(AuthError) {
    for entry in counts {
      var attempts = entry.attempts
      attempts.count += open[attempts.subject] ?? 0
      try attempts.requireFew(entry.throttle, at: now)
    }
  }

  /// Counts one more attempt for each network.
  mutating func add(at now: Moment, in db: Database) throws {
    for index in counts.indices { try counts[index].attempts.add(counts[index].throttle, at: now, in: db) }
  }
}
