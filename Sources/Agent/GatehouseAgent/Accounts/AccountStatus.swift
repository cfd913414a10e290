public import GatehouseBase

/// An agent knows this of an account at one moment. A value; it contains no secret.
public struct AccountStatus: Sendable, Hashable {
  /// The state of the account's token.
  public enum State: Sendable, Hashable {
    /// No token was fetched yet.
    case empty
    /// There is a token, and the latest fetch did not fail.
    case lending
    /// The latest fetch failed, for a reason that may pass. The token at hand is lent until it expires.
    case failing(AuthError)
    /// The issuer has ended the account's session. Nothing is lent or fetched before a person has signed in again and
    /// `Agent.refresh(_:timeout:)` has succeeded.
    case needsPerson(AuthError)
  }

  /// The account's name.
  public let name: String
  /// The kind of its source, for people.
  public let kind: String
  /// The state of its token.
  public let state: State
  /// The remaining life of its token: the shorter one by the two clocks; `nil` if there is no token.
  public let remainingLifetime: Duration?
  /// Whether a fetch is waiting or in flight.
  public let isFetching: Bool
  /// The number of failures since the latest success.
  public let failures: Int
}
