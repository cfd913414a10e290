public import Gatehouse

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension User {
  /// Passes the ID token, refreshed if it is old or a refresh is asked for.
  @preconcurrency
  public func getIDToken(
    forcingRefresh: Bool = false,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    getIDToken(forcingRefresh: forcingRefresh, completion: callbacks.passing(to: completion))
  }

  /// Passes the ID token and its contents.
  @preconcurrency
  public func getIDTokenResult(
    forcingRefresh: Bool = false,
    @_inheritActorContext completion: FirebaseCompletion<AuthTokenResult>?
  ) {
    getIDTokenResult(forcingRefresh: forcingRefresh, completion: callbacks.passing(to: completion))
  }

  /// Firebase's name for `getIDToken(forcingRefresh:completion:)`.
  @preconcurrency
  public func getIDTokenForcingRefresh(
    _ forceRefresh: Bool,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    getIDToken(forcingRefresh: forceRefresh, completion: callbacks.passing(to: completion))
  }

  /// Firebase's name for `getIDToken(forcingRefresh:completion:)`.
  @preconcurrency
  public func idTokenForcingRefresh(
    _ forceRefresh: Bool,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    getIDToken(forcingRefresh: forceRefresh, completion: callbacks.passing(to: completion))
  }
}
