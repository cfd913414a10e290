public import FoundationEssentials
public import GatehouseBase
import GatehouseQueues
import Synchronization

/// The times before which users' tokens are rejected.
///
/// A revocation is kept as long as the tokens that it may affect can live, and then dropped. Both clocks must say so: a
/// wall clock that is wrong for a moment drops nothing. Usable from any thread;
/// while no user is revoked, a check takes no lock.
public final class TokenRevocations: Sendable {
  private let maximumLifetime: Double
  private let clocks: any Clocks
  private let moments = Lock<[ExactText: Moment]>([:])
  private let isInUse = Atomic<Bool>(false)

  /// - Parameters:
  ///   - maximumLifetime: the maximum time from sign-in to `exp` of the tokens. Firebase's ID tokens live one hour, its
  ///     session cookies at most two weeks. A revocation is dropped after this time, when another one is added.
  ///   - clocks: the clocks that measure this time.
  public init(maximumLifetime: Duration = .seconds(14 * 86_400), clocks: any Clocks = SystemClocks()) {
    self.maximumLifetime = maximumLifetime.inSeconds
    self.clocks = clocks
  }

  /// Rejects the tokens of a user (`sub`) whose `auth_time` or `iat` is before a moment. A token that has neither, or
  /// only one that is in the future, is rejected too. A later call with an earlier moment changes nothing.
  ///
  /// Throws `invalidArgument` for a moment that is not a finite number of seconds.
  public func revoke(subject: String, before moment: Date) throws {
    try revoke(subject: subject, before: moment.wall)
  }

  /// Rejects tokens from before a moment in seconds since 1970.
  package func revoke(subject: String, before moment: Double) throws(AuthError) {
    guard moment.isFinite else {
      throw AuthError(.invalidArgument, "the moment of a revocation must be a finite number of seconds")
    }
    let now = clocks.now()
    let name = ExactText(subject)
    moments.withLock { moments in
      moments = moments.filter { !$0.value.isOver(at: now, after: maximumLifetime) }
      moments[name] = Moment(validSince: max(moment, moments[name]?.validSince ?? moment), revokedAt: now.boot)
    }
    isInUse.store(true, ordering: .releasing)
  }

  /// The number of users with a revocation.
  public var count: Int { moments.withLock { $0.count } }

  /// Throws `tokenRevoked` for a token that was issued before its user's moment, or that does not say when.
  ///
  /// The earlier one of `auth_time` and `iat` counts, because no user signs in after the token was issued. Without
  /// `iat`, an `auth_time` in the future would outlive every revocation.
  func check(_ token: VerifiedToken, at now: Double, leeway: Duration) throws(AuthError) {
    guard isInUse.load(ordering: .acquiring), let subject = token.subject else { return }
    guard let moment = moments.withLock({ $0[ExactText(subject)] }) else { return }
    let given = [token.seconds("auth_time"), token.seconds("iat")].compactMap(\.self).min()
    guard let given, given >= moment.validSince, given <= now + leeway.inSeconds else {
      throw AuthError(.tokenRevoked, "the user's tokens were revoked: sign in again")
    }
  }

  private struct Moment {
    let validSince: Double
    /// The time of the call, by the boot clock.
    let revokedAt: Double

    /// Whether both clocks say that no token from before `validSince` is still valid. False for a clock that returns
    /// no number.
    func isOver(at now: ClockReading, after lifetime: Double) -> Bool {
      now.wall >= validSince + lifetime && now.boot >= revokedAt + lifetime
    }
  }
}
