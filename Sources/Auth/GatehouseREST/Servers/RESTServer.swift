import Foundation

/// The URLs of the protocol's two services.
public struct RESTServer: Sendable, Hashable {
  /// The URL before `/v1/accounts:…`, without a trailing slash.
  public let identityToolkit: String
  /// The URL before `/v1/token`, without a trailing slash.
  public let secureToken: String
  /// Whether the server is an emulator, such as Google's, whose tokens are not signed: their claims are read all the
  /// same. Only `emulator(host:port:)` and `standard` make such a server.
  public private(set) var isEmulator = false

  /// Makes a server whose services have separate URLs.
  public init(identityToolkit: String, secureToken: String) {
    self.identityToolkit = Self.trimmed(identityToolkit)
    self.secureToken = Self.trimmed(secureToken)
  }

  /// Makes a server that has both services under one URL, each under Google's host name as a path, like the emulator
  /// and `gate serve`: `http://localhost:9099`.
  public init(url: String) {
    let url = Self.trimmed(url)
    self.init(identityToolkit: url + "/" + Self.toolkitHost, secureToken: url + "/" + Self.tokenHost)
  }

  /// Google's Identity Platform.
  public static let google = Self(identityToolkit: "https://" + toolkitHost, secureToken: "https://" + tokenHost)

  /// An emulator, over plain HTTP.
  public static func emulator(host: String, port: Int) -> RESTServer { emulator(url: "http://\(host):\(port)") }

  package static func emulator(url: String) -> RESTServer {
    var server = RESTServer(url: url)
    server.isEmulator = true
    return server
  }

  /// The emulator at `FIREBASE_AUTH_EMULATOR_HOST` (`localhost:9099`), if that variable is set when this property is
  /// read; otherwise Google.
  ///
  /// The variable sets the address of the calls. No verifier takes an unsigned token because of it.
  public static var standard: RESTServer {
    standard(emulator: ProcessInfo.processInfo.environment["FIREBASE_AUTH_EMULATOR_HOST"])
  }

  static func standard(emulator: String?) -> RESTServer {
    guard let emulator, !emulator.isEmpty else { return .google }
    return .emulator(url: "http://" + emulator)
  }

  /// The URL of the keys that verify the server's ID tokens.
  package var idTokenKeys: String {
    self == .google
      ? "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com" : sessionCookieKeys
  }

  /// The URL of the keys that verify the server's session cookies. All servers but Google's have one set for both.
  package var sessionCookieKeys: String { identityToolkit + "/v1/sessionCookiePublicKeys" }

  static let toolkitHost = "identitytoolkit.googleapis.com"
  static let tokenHost = "securetoken.googleapis.com"

  private static func trimmed(_ url: String) -> String {
    var url = url
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }

  /// Returns the URL of an endpoint, which begins with the name of one of the two services; `nil` for any other
  /// endpoint, so that a call never chooses the host that its tokens are sent to.
  func url(of endpoint: String) -> String? {
    for (host, base) in [(Self.toolkitHost, identityToolkit), (Self.tokenHost, secureToken)]
    where endpoint.hasPrefix(host + "/") {
      return base + endpoint.dropFirst(host.count)
    }
    return nil
  }
}
