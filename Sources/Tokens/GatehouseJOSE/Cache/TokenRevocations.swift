public import FoundationEssentials
public import GatehouseBase
import GatehouseQueues
import Synchronization

/// The times before which users' tokens are rejected.
///
/// A revocation is kept as long as the tokens that it may affect can live, and then dropped. Usable from any thread;
/// while no user is revoked, a check takes no lock.
public final class TokenRevocations: Sendable {
  private let maximumLifetime: Double
  private let clocks: any Clocks
  private let moments = Lock<[Name: Moment]>([:])
  private let isInUse = Atomic<Bool>(false)

  /// - Parameters:
  ///   - maximumLifetime: the maximum time from sign-in to `exp` of the tokens. Firebase's ID tokens live one hour, its
  ///     session cookies at most two weeks. A revocation is dropped after this time.
  ///   - clocks: the clocks that measure this time.
  public init(maximumLifetime: Duration = .seconds(14 * 86_400), clocks: any Clocks = SystemClocks()) {
    self.maximumLifetime = maximumLifetime.inSeconds
    self.clocks = clocks
  }

  /// Rejects the tokens of a user (`sub`) whose `auth_time` or `iat` is before a moment. A token that has neither, or
  /// only one that is in the future, is rejected too. A later call with an earlier moment changes nothing.
  public func revoke(subject: String, before moment: Date) { revoke(subject: subject, before: moment.wall) }

  /// Rejects tokens from before a moment in seconds since 1970.
  package func revoke(subject: String, before moment: Double) {
    let now = clocks.now().wall
    let name = Name(subject)
    moments.withLock { moments in
      moments = moments.filter { $0.value.validSince + maximumLifetime > now }
      moments[name] = Moment(validSince: max(moment, moments[name]?.validSince ?? moment))
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
    guard let moment = moments.withLock({ $0[Name(subject)] }) else { return }
    let given = [token.seconds("auth_time"), token.seconds("iat")].compactMap(\.self).min()
    guard let given, given >= moment.validSince, given <= now + leeway.inSeconds else {
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
