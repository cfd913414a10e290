/// Fetches the tokens of one account from their issuer, for an agent that lends them to programs.
///
/// The agent calls `fetch()` on threads of its own, never on the work queue, and begins no call while it still waits
/// for another one. A call that has not ended after the agent's timeout is cancelled and given up; its late token is
/// used only if there is no newer one. `TokenSourceContract` of `GatehouseTesting` checks an implementation.
public protocol TokenSource: Sendable {
  /// The kind of the source, for people, such as `service account`. Constant, printable, and without a secret.
  var kind: String { get }

  /// Contacts the issuer and returns a new token.
  ///
  /// - Throws: `.invalidUserToken`, `.userTokenExpired`, `.userDisabled` or `.userNotFound` if only a person can help,
  ///   for example by signing in again: the agent then asks no more until it is told to. Any other error is
  ///   temporary: the agent tries again later, and not before the error's `retryAfter` has passed. The message says
  ///   what to do and contains no secret.
  func fetch() async throws(AuthError) -> LentToken
}
