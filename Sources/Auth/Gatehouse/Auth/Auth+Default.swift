import GatehouseQueues
import IdentityToolkit

extension Auth {
  private static let shared = Lock<Auth?>(nil)
  /// Whether `configure` was called.
  private static let isClaimed = Lock(false)

  /// Makes the default `Auth`, once in the life of a process.
  ///
  /// - Throws: `.alreadyConfigured` the second time.
  @discardableResult
  public static func configure(_ configuration: Configuration) throws(AuthError) -> Auth {
    let isFirst = isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
    guard isFirst else {
      throw AuthError(
        .alreadyConfigured, "Auth.configure(_:) was called before; for a second session make an Auth of its own")
    }
    // Outside the lock: an `Auth` asks the app's backend something while it is made.
    let auth = Auth(configuration)
    shared.withLock { $0 = auth }
    return auth
  }

  /// The default `Auth`.
  ///
  /// Before `configure(_:)` it is an `Auth` without a configuration, and the log says so. Each of its calls throws
  /// `.notConfigured`. Its `currentUser` is `nil`, its state `.signedOut` with that error, and its listeners hear `nil`
  /// once: an app written for Firebase shows its sign-in form, and the sign-in says what is missing. It never becomes
  /// the configured one, so call `auth()` again after `configure(_:)`.
  public static func auth() -> Auth { shared.withLock { $0 } ?? unconfigured }

  private static let unconfigured = Auth(
    Configuration(backend: NoBackend()),
    refusal: AuthError(.notConfigured, "there is no default Auth yet; call Auth.configure(_:) before Auth.auth()"))
}

/// The backend of an `Auth` that refuses every call before it asks a backend.
private struct NoBackend: Backend {
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw .unsupported(C.self) }
}
