import GRDB
import GatehouseBase

/// The texts that the provider has sent to all phones together, which cost its owner money
/// (`LocalOptions.textThrottle`).
///
///     caller                                          texts may use up
///     is on a device or in a network that the         the whole limit
///     recipient's account knows
///     any other                                       three quarters of it
///     each network                                    an eighth of it
struct SentTexts: Sendable {
  private var counts: [(attempts: Attempts, throttle: Throttle)] = []

  init(isKnown: Bool, _ caller: Caller, _ options: LocalOptions, at now: Moment, in db: Database) throws {
    let throttle = options.textThrottle
    guard throttle.attempts < .max else { return }
    func sent(_ subject: String, _ attempts: Int) throws -> (Attempts, Throttle) {
      let part = Throttle(attempts: max(attempts, 1), window: throttle.window)
      return (try Attempts.find(.text, subject, part, at: now, in: db), part)
    }
    counts = [try sent("all", throttle.attempts)]
    if !isKnown { counts.append(try sent("unknown callers", throttle.attempts - throttle.attempts / 4)) }
    if let network = caller.limitedNetworks.last?.text {
      counts.append(try sent("network \(network)", throttle.attempts / 8))
    }
  }

  /// Refuses a text over the limit, with the time until the next one is allowed.
  func requireFew(to number: String, at now: Moment) throws(AuthError) {
    for entry in counts { try entry.attempts.requireFew(entry.throttle, at: now, email: number) }
  }

  /// Counts another text.
  mutating func add(at now: Moment, in db: Database) throws {
    for index in counts.indices { try counts[index].attempts.add(counts[index].throttle, at: now, in: db) }
  }
}
