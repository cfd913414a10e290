import GatehouseQueues
import IdentityToolkit

extension Auth {
  private static let shared = Lock<Auth?>(nil)

  /// Makes the default `Auth`, once in the life of a process. Of several threads that call this at once, one succeeds.
  ///
  /// - Throws: `.alreadyConfigured` if there is a default `Auth`; `auth()` returns that one.
  @discardableResult
  public static func configure(_ configuration: Configuration) throws -> Auth { try configure(configuration) { nil } }

  /// - Parameter load: reads the stored session, if the `Auth` shall have it from the beginning.
  static func configure(
    _ configuration: Configuration, load: () -> Result<StoredSession?, AuthError>?
  ) throws -> Auth {
    // Asked outside the lock: the backend and the store are the app's code. Making the `Auth` calls none of it.
    let isMissing = shared.withLock { $0 } == nil
    let abilities = isMissing ? Abilities(of: configuration) : nil
    let loaded = isMissing ? load() : nil
    let made = shared.withLock { shared -> Auth? in
      guard shared == nil, let abilities else { return nil }
      shared = Auth(configuration, abilities, refusal: nil, loaded: loaded)
      return shared
    }
    guard let made else {
      throw AuthError(
        .alreadyConfigured,
        "the default Auth is configured already, by Auth.configure(_:) or FirebaseApp.configure(); for a second "
          + "session make an Auth of its own")
    }
    return made
  }

  /// The default `Auth`.
  ///
  /// Before `configure(_:)` this is an `Auth` without a configuration, and an error is logged. Each of its calls throws
  /// `.notConfigured`. Its `currentUser` is `nil`, its state `.signedOut` with that error, and its listeners are called
  /// with `nil` once. An app written for Firebase then shows its sign-in form, and the sign-in's error names the
  /// missing configuration. It never becomes the configured one, so call `auth()` again after `configure(_:)`.
  public static func auth() -> Auth { shared.withLock { $0 } ?? unconfigured }

  private static let unconfigured = Auth(
    Configuration(backend: NoBackend()), Abilities(rotates: false, keepsUsers: false),
    refusal: AuthError(
      .notConfigured,
      "there is no default Auth yet; call Auth.configure(_:) before Auth.auth(), or FirebaseApp.configure() with "
        + "GatehouseFirebase"))
}

/// The backend of an unconfigured `Auth`, which refuses every call before it reaches a backend.
private struct NoBackend: Backend {
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw .unsupported(C.self) }
}
