import Foundation

/// Where the protocol's two services are.
public struct RESTServer: Sendable, Hashable {
  /// The URL before `/v1/accounts:…`, without a slash at its end.
  public let identityToolkit: String
  /// The URL before `/v1/token`, without a slash at its end.
  public let secureToken: String

  /// Services with URLs of their own.
  public init(identityToolkit: String, secureToken: String) {
    self.identityToolkit = Self.trimmed(identityToolkit)
    self.secureToken = Self.trimmed(secureToken)
  }

  /// A server that has both under one URL, each under Google's name for it, as the emulator and `gate serve` do:
  /// `http://localhost:9099`.
  public init(url: String) {
    let url = Self.trimmed(url)
    self.init(identityToolkit: url + "/" + Self.toolkitHost, secureToken: url + "/" + Self.tokenHost)
  }

  /// Google's Identity Platform.
  public static let google = Self(identityToolkit: "https://" + toolkitHost, secureToken: "https://" + tokenHost)

  /// The emulator at `FIREBASE_AUTH_EMULATOR_HOST` (`localhost:9099`), where that variable is set when this is asked;
  /// otherwise Google.
  ///
  /// The variable says where to send calls, and nothing else: it lets no unsigned token pass.
  public static var standard: RESTServer {
    standard(emulator: ProcessInfo.processInfo.environment["FIREBASE_AUTH_EMULATOR_HOST"])
  }

  static func standard(emulator: String?) -> RESTServer {
    guard let emulator, !emulator.isEmpty else { return .google }
    return RESTServer(url: "http://" + emulator)
  }

  /// Where the keys are that verify the server's ID tokens.
  package var idTokenKeys: String {
    self == .google
      ? "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com" : sessionCookieKeys
  }

  /// Where the keys are that verify the server's session cookies; all but Google's have one set for both.
  package var sessionCookieKeys: String { identityToolkit + "/v1/sessionCookiePublicKeys" }

  static let toolkitHost = "identitytoolkit.googleapis.com"
  static let tokenHost = "securetoken.googleapis.com"

  private static func trimmed(_ url: String) -> String {
    var url = url
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }

  /// The URL of an endpoint, which begins with the name of one of the two services; `nil` for any other: a call never
  /// chooses the host that its tokens are sent to.
  func url(of endpoint: String) -> String? {
    for (host, base) in [(Self.toolkitHost, identityToolkit), (Self.tokenHost, secureToken)]
    where endpoint.hasPrefix(host + "/") {
      return base + endpoint.dropFirst(host.count)
    }
    return nil
  }
}
