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
    // Outside the lock: making an `Auth` calls the app's backend.
    let auth = Auth(configuration)
    shared.withLock { $0 = auth }
    return auth
  }

  /// The default `Auth`.
  ///
  /// Before `configure(_:)` this is an `Auth` without a configuration, and an error is logged. Each of its calls throws
  /// `.notConfigured`. Its `currentUser` is `nil`, its state `.signedOut` with that error, and its listeners are called
  /// with `nil` once. An app written for Firebase then shows its sign-in form, and the sign-in's error names the
  /// missing configuration. It never becomes the configured one, so call `auth()` again after `configure(_:)`.
  public static func auth() -> Auth { shared.withLock { $0 } ?? unconfigured }

  private static let unconfigured = Auth(
    Configuration(backend: NoBackend()),
    refusal: AuthError(.notConfigured, "there is no default Auth yet; call Auth.configure(_:) before Auth.auth()"))
}

/// The backend of an unconfigured `Auth`, which refuses every call before it reaches a backend.
private struct NoBackend: Backend {
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw .unsupported(C.self) }
}
