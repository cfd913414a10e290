public import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import Logging

/// Configures the default `Auth` under Firebase's name, for programs written for Firebase.
///
/// There is one instance, which uses the embedded provider in the user's home. For another backend, or a second
/// session, make an `Auth`.
public final class FirebaseApp: Sendable {
  private static let configured = Lock<FirebaseApp?>(nil)

  /// `__FIRAPP_DEFAULT`, Firebase's name of the default app.
  public let name = "__FIRAPP_DEFAULT"
  /// The location of the accounts and the session.
  public let options: FirebaseOptions

  private init(_ options: FirebaseOptions) { self.options = options }

  /// Configures `Auth.auth()` with the provider and the session in the user's home, which `gate` uses as well.
  ///
  /// Call it once, before anything else. If it fails, because there is no home or `Auth` was configured before, the
  /// failure is logged and nothing traps; without a configuration, calls throw `.notConfigured`.
  public static func configure() { configure(options: FirebaseOptions()) }

  /// Configures `Auth.auth()` with a provider in another folder.
  public static func configure(options: FirebaseOptions) {
    do throws(AuthError) {
      let home = try options.folder()
      _ = try typed {
        try Auth.configure(
          Auth.Configuration(
            backend: .local(directory: home + "/provider", options: options.provider),
            store: .file(home + "/session.json")))
      }
      configured.withLock { $0 = FirebaseApp(options) }
    } catch {
      Logger(label: "gatehouse").error("FirebaseApp.configure() has configured nothing: \(error)")
    }
  }

  /// The configured app; `nil` before `configure()`.
  public static func app() -> FirebaseApp? { configured.withLock { $0 } }
}

extension Auth {
  /// Returns the `Auth` of an app, which is the default one.
  public static func auth(app: FirebaseApp) -> Auth { .auth() }
}
