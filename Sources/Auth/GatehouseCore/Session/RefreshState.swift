import GatehouseBase
import GatehouseQueues

/// The refreshes of one session: at most one in flight, and at most one that waits for it.
struct RefreshState {
  /// The maximum number of requests that one session sends within `requestWindow` without being forced, whatever the
  /// answers are. A token may be over when it comes, and its listeners may ask for the next one at once.
  static let maximumRequests = 4
  /// The time in which `maximumRequests` are counted, in seconds.
  static let requestWindow = 4.0

  /// The refresh that is enqueued or in flight.
  var current: Refresh?
  /// The refresh that waits for `current`. It is shared by callers that forced a refresh after the request of `current`
  /// was sent.
  var next: Refresh?
  /// Resolves when the requests of the last refresh that spent its token have ended.
  var spending: Promise<Void, AuthError>?
  /// The number of failures since the last success.
  var failures = 0
  /// The back-off: no refresh sends a request before it ends.
  var pause: Pause?
  /// The times of the last requests, at most `maximumRequests` of them.
  private var requests: [ClockReading] = []

  /// Records that a request is sent.
  mutating func recordRequest(at now: ClockReading) {
    requests = requests.suffix(Self.maximumRequests - 1) + [now]
  }

  /// The seconds until the rate of requests allows another one; zero if it does now.
  func wait(at now: ClockReading) -> Double {
    guard requests.count == Self.maximumRequests, let first = requests.first else { return 0 }
    return max(Self.requestWindow - max(now.elapsed(since: first), 0), 0)
  }
}

/// One request for new tokens, and its waiters.
@WorkQueue
final class Refresh {
  /// The condition under which a refresh need not send a request.
  enum Need: Comparable {
    /// The current token is fresh after all.
    case ifDue
    /// Another process has brought a fresh token. For an automatic refresh.
    case ahead
    /// None: the request is always sent.
    case always
  }

  var need: Need
  /// Resolves when the rate of requests allows this one, or it is forced.
  var turn: Promise<Void, AuthError>?
  /// Whether the request was sent. From then on a forced refresh cannot join.
  var isSent = false
  /// Whether the store's lock is kept for it.
  var hasLease = false
  /// Resolves with the tokens.
  var promise: Promise<SessionTokens, AuthError>?

  init(_ need: Need) { self.need = need }
}
