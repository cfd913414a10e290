public import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import Logging

/// Firebase's name for what configures the default `Auth`: for programs that were written for Firebase.
///
/// There is one, and it has the embedded provider of the user's home. For any other backend, or a second session, make
/// an `Auth`.
public final class FirebaseApp: Sendable {
  private static let configured = Lock<FirebaseApp?>(nil)

  /// `__FIRAPP_DEFAULT`, as Firebase calls it.
  public let name = "__FIRAPP_DEFAULT"
  /// Where accounts and the session are.
  public let options: FirebaseOptions

  private init(_ options: FirebaseOptions) { self.options = options }

  /// Configures `Auth.auth()` with the provider of the user's home, and its session: what `gate` uses as well.
  ///
  /// Call it once, first. What stands in the way, no home or an earlier configuration, is in the log, and calls throw
  /// `.notConfigured`; nothing traps.
  public static func configure() { configure(options: FirebaseOptions()) }

  /// Configures `Auth.auth()` with a provider in another folder.
  public static func configure(options: FirebaseOptions) {
    do throws(AuthError) {
      let home = try options.folder()
      try Auth.configure(
        Auth.Configuration(
          backend: .local(directory: home + "/provider", options: options.provider),
          store: .file(home + "/session.json")))
      configured.withLock { $0 = FirebaseApp(options) }
    } catch {
      Logger(label: "gatehouse").error("FirebaseApp.configure() has configured nothing: \(error)")
    }
  }

  /// What was configured; `nil` before that.
  public static func app() -> FirebaseApp? { configured.withLock { $0 } }
}

extension Auth {
  /// The `Auth` of an app: the default one.
  public static func auth(app: FirebaseApp) -> Auth { .auth() }
}
