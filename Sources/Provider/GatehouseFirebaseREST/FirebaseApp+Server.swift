public import Gatehouse
import GatehouseBase
public import GatehouseFirebase
import GatehouseREST
import Logging

extension FirebaseApp {
  /// Configures `Auth.auth()` with the options of the `GoogleService-Info.plist` beside the program; if there is none,
  /// with the embedded provider in the user's home.
  public static func configure() { configure(options: .defaultOptions() ?? FirebaseOptions()) }

  /// Configures `Auth.auth()`: with a server if the options have an `apiKey`, otherwise with the embedded provider.
  ///
  /// The server is Google's Identity Platform, or the emulator that the variable `FIREBASE_AUTH_EMULATOR_HOST` names.
  /// Each server's session is kept in a file of its own, in the options' folder. If the configuration fails, the
  /// failure is logged and nothing traps.
  public static func configure(options: FirebaseOptions) {
    guard let apiKey = options.apiKey else { return FirebaseApp.GatehouseFirebase::configure(options: options) }
    configure(nil, options) { .server(apiKey, $1, sessions: $0, name: "session") }
  }

  /// Configures a further app in the same way, with a session of its own.
  public static func configure(name: String, options: FirebaseOptions) {
    guard let apiKey = options.apiKey else {
      return FirebaseApp.GatehouseFirebase::configure(name: name, options: options)
    }
    configure(name, options) { .server(apiKey, $1, sessions: $0, name: "apps/\(fileName(name))") }
  }
}

extension Auth.Configuration {
  fileprivate static func server(
    _ apiKey: String, _ options: FirebaseOptions, sessions home: String, name: String
  ) -> Self {
    let server = RESTServer.standard
    var calls = RESTOptions(server: server)
    calls.timeout = max(calls.timeout, options.timeouts.call)
    let folder = "\(home)/servers/\(FirebaseApp.fileName(server.identityToolkit))"
    return Auth.Configuration(
      backend: .identityPlatform(apiKey: apiKey, options: calls), store: .file("\(folder)/\(name).json"),
      timeouts: options.timeouts)
  }
}

extension Auth {
  /// Sends all calls to an emulator, or to `gate serve`. Call it right after `FirebaseApp.configure(options:)`, with an
  /// `apiKey` of any text.
  ///
  /// A stored session is not moved: with one of Google's, sign out first, or give the options another `home`. After the
  /// first call, and for the embedded provider, this has no effect, and the reason is logged.
  public func useEmulator(withHost host: String, port: Int) {
    do {
      try self.GatehouseREST::useEmulator(withHost: host, port: port)
    } catch {
      Logger(label: "gatehouse").error("useEmulator(withHost:port:) has no effect: \(error)")
    }
  }
}
