import GatehouseQueues

extension Auth {
  private static let shared = Lock<Auth?>(nil)

  /// Makes the default `Auth`, once in the life of a process.
  @discardableResult
  public static func configure(_ configuration: Configuration) throws(AuthError) -> Auth {
    try shared.withLock { (shared) throws(AuthError) in
      guard shared == nil else {
        throw AuthError(
          .alreadyConfigured, "Auth.configure(_:) was called before; for a second session make an Auth of its own")
      }
      let auth = Auth(configuration)
      shared = auth
      return auth
    }
  }

  /// The default `Auth`.
  public static func auth() throws(AuthError) -> Auth {
    guard let auth = shared.withLock({ $0 }) else {
      throw AuthError(.notConfigured, "call Auth.configure(_:) before Auth.auth()")
    }
    return auth
  }
}
