import Foundation
public import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import Logging

/// Configures `Auth`s under Firebase's names, for programs written for Firebase.
///
/// The default app uses the embedded provider in the user's home. Further apps have names, and sessions of their own.
/// Make an `Auth` for another backend; for Google's, import GatehouseFirebaseREST, whose `configure` is preferred.
public final class FirebaseApp: Sendable {
  private static let apps = Lock<[String: FirebaseApp]>([:])
  /// The `Auth`s of deleted apps, until they have closed.
  private static let closing = Lock<[Auth]>([])
  /// The process that configured the first app.
  private static let program = Lock<Int32?>(nil)
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

  /// Configures `Auth.auth()` with the provider and the session in the user's home, which `gate` uses as well. Blocks
  /// until the file of the session has been read, so that `currentUser` is the user of the last run at once. If the
  /// disk does not answer, that ends after 10 seconds, and the session is read later. When the program ends, with
  /// `exit` or at the end of its main function, what is not yet in the file is written first.
  ///
  /// Call it once, before anything else. If it fails, because there is no home or `Auth` was configured before, the
  /// failure is logged and nothing traps; without a configuration, calls throw `.notConfigured`.
  @_disfavoredOverload
  public static func configure() { configure(options: FirebaseOptions()) }

  /// Configures `Auth.auth()` with the embedded provider. An `apiKey` has no effect, and a warning is logged.
  @_disfavoredOverload
  public static func configure(options: FirebaseOptions) { configureEmbedded(nil, options) }

  /// Configures a further app, with a session of its own: `Auth.auth(app: FirebaseApp.app(name: name)!)`.
  ///
  /// Its accounts are those of the default app, if it has the same folder and the same project. An app of another
  /// project has accounts of its own. A second app of one name is refused: the failure is logged and nothing traps.
  @_disfavoredOverload
  public static func configure(name: String, options: FirebaseOptions) { configureEmbedded(name, options) }

  /// The default app; `nil` before `configure()`.
  public static func app() -> FirebaseApp? { app(name: defaultName) }

  /// The app of a name; `nil` if there is none.
  public static func app(name: String) -> FirebaseApp? { apps.withLock { $0[name] } }

  /// All apps, by name; `nil` if there is none.
  public static var allApps: [String: FirebaseApp]? { apps.withLock { $0.isEmpty ? nil : $0 } }

  static func app(of auth: Auth) -> FirebaseApp? { apps.withLock { $0.values.first { $0.auth == auth } } }

  /// Ends the app: closes its `Auth`, whose calls throw `.closed` from then on. The session stays in its file.
  ///
  /// - Returns: Whether the app existed, and all that its store was owed is written.
  public func delete() async -> Bool {
    let existed = remove()
    defer { Self.forget(auth) }
    do { try await auth.close() } catch { return false }
    return existed
  }

  /// Ends the app. The completion is called as a `FirebaseCompletion` is.
  @preconcurrency
  public func delete(@_inheritActorContext _ completion: @escaping @isolated(any) @Sendable (Bool) -> Void) {
    let existed = remove()
    auth.close(
      completion: auth.callbacks.completion(passingOnTo: completion, isolatedTo: completion.isolation) {
        [auth] _, completion, result in
        Self.forget(auth)
        if case .success = result { await completion(existed) } else { await completion(false) }
      })
  }

  private func remove() -> Bool {
    Self.closing.withLock { $0.append(auth) }
    return Self.apps.withLock { apps in
      guard apps[name] === self else { return false }
      apps[name] = nil
      return true
    }
  }

  private static func forget(_ auth: Auth) { closing.withLock { $0.removeAll { $0 == auth } } }

  /// Makes an app, and logs why if that fails.
  ///
  /// - Parameters:
  ///   - name: the app's name; `nil` for the default app.
  ///   - options: the options, of which the app gets a copy.
  ///   - configuration: returns the configuration of the app's `Auth`, for a folder and the app's options.
  package static func configure(
    _ name: String?, _ options: FirebaseOptions,
    _ configuration: (_ home: String, _ options: FirebaseOptions) -> Auth.Configuration
  ) {
    do throws(AuthError) {
      let options = FirebaseOptions(options)
      let configuration = configuration(try options.folder(), options)
      try typed { try add(FirebaseApp(name ?? defaultName, options, makeAuth(name, configuration))) }
    } catch {
      Logger(label: "gatehouse").error("FirebaseApp.configure() has configured nothing: \(error)")
    }
  }

  private static func makeAuth(_ name: String?, _ configuration: Auth.Configuration) throws -> Auth {
    // Programs ask for `currentUser` right after, which waits in Firebase until the session has been read.
    guard let name else { return try Auth.loaded(configuration, isDefault: true) }
    guard app(name: name) == nil else { throw AuthError.taken(name) }
    return try Auth.loaded(configuration, isDefault: false)
  }

  private static func add(_ app: FirebaseApp) throws {
    let isFirst = apps.withLock { apps in
      if apps[app.name] == nil { apps[app.name] = app }
      return apps[app.name] === app
    }
    guard isFirst else { throw AuthError.taken(app.name) }
    flushesAtExit
    app.auth.onEveryChange { auth in
      // In an operation of the main queue: outside of one, Foundation waits for the main queue before an observer that
      // names it is called. Under an async main function or dispatchMain() that is this queue, and would wait for ever.
      OperationQueue.main.addOperation {
        NotificationCenter.default.post(name: .AuthStateDidChange, object: auth)
      }
    }
  }

  /// Makes the end of the program wait for what the apps owe their files, at most five seconds each. Firebase has
  /// written when a call such as `signOut()` returns; here a program that ends right after it would leave its user
  /// signed in.
  ///
  /// A child that was forked without another program has none of the threads that write.
  private static let flushesAtExit: Void = {
    program.withLock { $0 = CurrentProcess.id }
    atexit {
      guard CurrentProcess.id == FirebaseApp.program.withLock({ $0 }) else { return }
      let auths = FirebaseApp.apps.withLock { $0.values.map(\.auth) } + FirebaseApp.closing.withLock { $0 }
      for auth in auths { auth.flushNow(patience: .seconds(5)) }
    }
  }()

  private static func configureEmbedded(_ name: String?, _ options: FirebaseOptions) {
    if options.apiKey != nil {
      Logger(label: "gatehouse").warning(
        "the embedded provider has no use for an apiKey; the module GatehouseFirebaseREST calls a server with it")
    }
    configure(name, options) { home, options in
      // Messages and texts are files in the home, as with `gate`, for whatever sends them.
      let outbox = FileDelivery(folder: home + "/outbox")
      options.provider.delivery = options.provider.delivery ?? outbox
      options.provider.textDelivery = options.provider.textDelivery ?? outbox
      guard let name else { return .embedded(home + "/provider", options, session: home + "/session.json") }
      let known = [FirebaseOptions().projectID, app()?.options.projectID]
      let project =
        known.contains { $0.isExactly(options.projectID) }
        ? "provider" : "projects/\(fileName(options.projectID ?? ""))"
      return .embedded("\(home)/\(project)", options, session: "\(home)/apps/\(fileName(name)).json")
    }
  }

  /// The name of one file for a name: all but letters, digits, `-` and `_` is percent-encoded.
  package static func fileName(_ name: String) -> String {
    let plain = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = name.utf8.flatMap { byte in
      plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Auth.Configuration {
  fileprivate static func embedded(_ provider: String, _ options: FirebaseOptions, session: String) -> Self {
    Auth.Configuration(
      backend: .local(directory: provider, options: options.provider), store: .file(session),
      timeouts: options.timeouts)
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
