public import GatehouseBase
import GatehouseQueues
import Synchronization

/// From which moment on the tokens of which users are good: whoever was given one before is refused.
///
/// A revocation is remembered as long as tokens live that it may hit, and then forgotten. Any thread, all at once;
/// while no user is revoked, asking takes no lock.
public final class TokenRevocations: Sendable {
  private let maximumLifetime: Double
  private let clocks: any Clocks
  private let moments = Lock<[Name: Moment]>([:])
  private let isInUse = Atomic<Bool>(false)

  /// `maximumLifetime` is that of the tokens, in seconds, from sign-in to `exp`; Firebase's ID tokens live an hour, its
  /// session cookies two weeks at most. Longer than that nothing is remembered.
  public init(maximumLifetime: Double = 14 * 86_400, clocks: any Clocks = SystemClocks()) {
    self.maximumLifetime = maximumLifetime
    self.clocks = clocks
  }

  /// Refuses the tokens of a user (`sub`) whose `auth_time`, or without one `iat`, is before a moment, in seconds since
  /// 1970. A moment never goes back.
  public func revoke(subject: String, before moment: Double) {
    let now = clocks.now().wall
    let name = Name(subject)
    moments.withLock { moments in
      moments = moments.filter { $0.value.validSince + maximumLifetime > now }
      moments[name] = Moment(validSince: max(moment, moments[name]?.validSince ?? moment))
    }
    isInUse.store(true, ordering: .releasing)
  }

  /// How many users are remembered.
  public var count: Int { moments.withLock { $0.count } }

  /// Throws `tokenRevoked` for a token that was given out before its user's moment, or that does not say when.
  func check(_ token: VerifiedToken) throws(AuthError) {
    guard isInUse.load(ordering: .acquiring), let subject = token.subject else { return }
    guard let moment = moments.withLock({ $0[Name(subject)] }) else { return }
    guard let given = token.authenticationTime ?? token.issuedAt, given >= moment.validSince else {
      throw AuthError(.tokenRevoked, "the user's tokens were revoked: sign in again")
    }
  }

  private struct Moment { let validSince: Double }

  /// A subject as bytes.
  private struct Name: Hashable, Sendable {
    let bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
  }
}
