import Foundation
public import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import Logging

/// Configures `Auth`s under Firebase's names, for programs written for Firebase.
///
/// The default app uses the embedded provider in the user's home. Further apps have names, and sessions of their own.
/// For another backend, make an `Auth`.
public final class FirebaseApp: Sendable {
  private static let apps = Lock<[String: FirebaseApp]>([:])
  private static let defaultName = "__FIRAPP_DEFAULT"

  /// The app's name; `__FIRAPP_DEFAULT` for the default app.
  public let name: String
  private let ownOptions: FirebaseOptions
  let auth: Auth

  /// A copy of the options that the app was configured with.
  public var options: FirebaseOptions { FirebaseOptions(ownOptions) }

  private init(_ name: String, _ options: FirebaseOptions, _ auth: Auth) {
    self.name = name
    ownOptions = options
    self.auth = auth
  }

  /// Configures `Auth.auth()` with the provider and the session in the user's home, which `gate` uses as well.
  ///
  /// Call it once, before anything else. If it fails, because there is no home or `Auth` was configured before, the
  /// failure is logged and nothing traps; without a configuration, calls throw `.notConfigured`.
  public static func configure() { configure(options: FirebaseOptions()) }

  /// Configures `Auth.auth()` with a provider in another folder.
  public static func configure(options: FirebaseOptions) { configure(defaultName, options) }

  /// Configures a further app, with a session of its own: `Auth.auth(app: FirebaseApp.app(name: name)!)`.
  ///
  /// Its accounts are those of the default app, if it has the same folder and the same project. An app of another
  /// project has accounts of its own. A second app of one name is refused: the failure is logged and nothing traps.
  public static func configure(name: String, options: FirebaseOptions) { configure(name, options) }

  /// The default app; `nil` before `configure()`.
  public static func app() -> FirebaseApp? { app(name: defaultName) }

  /// The app of a name; `nil` if there is none.
  public static func app(name: String) -> FirebaseApp? { apps.withLock { $0[name] } }

  /// All apps, by name; `nil` if there is none.
  public static var allApps: [String: FirebaseApp]? { apps.withLock { $0.isEmpty ? nil : $0 } }

  static func app(of auth: Auth) -> FirebaseApp? { apps.withLock { $0.values.first { $0.auth == auth } } }

  private static func configure(_ name: String, _ options: FirebaseOptions) {
    do throws(AuthError) {
      let options = FirebaseOptions(options)
      let app = try typed { try FirebaseApp(name, options, makeAuth(name, options)) }
      let isFirst = apps.withLock { apps in
        if apps[name] == nil { apps[name] = app }
        return apps[name] === app
      }
      guard isFirst else { throw .taken(name) }
      app.auth.addStateDidChangeListener { auth, _ in
        NotificationCenter.default.post(name: .AuthStateDidChange, object: auth)
      }
    } catch {
      Logger(label: "gatehouse").error("FirebaseApp.configure() has configured nothing: \(error)")
    }
  }

  private static func makeAuth(_ name: String, _ options: FirebaseOptions) throws -> Auth {
    let home = try options.folder()
    guard name != defaultName else {
      return try Auth.configure(configuration(home + "/provider", options, session: home + "/session.json"))
    }
    guard app(name: name) == nil else { throw AuthError.taken(name) }
    let known = [FirebaseOptions().projectID, app()?.options.projectID]
    let project = known.contains(options.projectID) ? "provider" : "projects/\(fileName(options.projectID ?? ""))"
    return Auth(configuration("\(home)/\(project)", options, session: "\(home)/apps/\(fileName(name)).json"))
  }

  private static func configuration(
    _ provider: String, _ options: FirebaseOptions, session: String
  ) -> Auth.Configuration {
    Auth.Configuration(backend: .local(directory: provider, options: options.provider), store: .file(session))
  }

  /// Percent-encoded, so that a name is the name of one file.
  private static func fileName(_ name: String) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    return name.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      return letters.contains(character) ? String(character) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

extension Auth {
  /// Returns the `Auth` of an app.
  public static func auth(app: FirebaseApp) -> Auth { app.auth }

  /// The app that this `Auth` belongs to; `nil` for one that was made without an app.
  public var app: FirebaseApp? { FirebaseApp.app(of: self) }
}

extension AuthError {
  fileprivate static func taken(_ name: String) -> AuthError {
    AuthError(.alreadyConfigured, "there is an app named \(name); FirebaseApp.app(name:) returns it")
  }
}
