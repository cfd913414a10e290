import GatehouseBase
import GatehouseHTTP

/// The value of `--backend`: the home's own provider, Google's Identity Platform, or a server's URL.
struct BackendName: Sendable, Hashable {
  /// The name as `--backend` accepts it. Different spellings of one server's URL give the same text.
  let text: String

  static let home = Self(text: "home")
  static let identityPlatform = Self(text: "identity-platform")

  static let variable = "GATEHOUSE_BACKEND"
  static let emulatorVariable = "FIREBASE_AUTH_EMULATOR_HOST"
  /// The maximum length of a URL, so that it can be part of the name of the session's file.
  private static let longestURL = 80

  private init(text: String) { self.text = text }

  /// - Throws: `.invalidArgument` for text that is not a URL, and for plain HTTP to another machine.
  init(_ text: String) throws(AuthError) {
    guard text != Self.home.text, text != Self.identityPlatform.text else {
      self.text = text
      return
    }
    let origin: HTTPOrigin
    do throws(AuthError) { origin = try HTTPOrigin(of: text) } catch {
      throw AuthError(.invalidArgument, "\(error.message); a backend is a URL, identity-platform, or home")
    }
    try typed { try TransportRequest(.get, text).check() }
    guard !text.contains("?") else {
      throw AuthError(.invalidArgument, "the URL has a query (?…); give the API key with --api-key")
    }
    let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
    var url = "\(origin.isSecure ? "https" : "http")://\(host)"
    if origin.port != (origin.isSecure ? 443 : 80) { url += ":\(origin.port)" }
    url += String(text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)[2].drop { $0 != "/" })
    while url.hasSuffix("/") { url.removeLast() }
    guard url.utf8.count <= Self.longestURL else {
      throw AuthError(.invalidArgument, "the URL is longer than \(Self.longestURL) bytes")
    }
    self.text = url
  }

  /// The backend that the environment names, if there is one. A value that cannot be a backend ends the program as
  /// wrong usage.
  static func environment(_ variable: (String) -> String?) -> BackendName? {
    name(variable(Self.variable), of: Self.variable)
  }

  /// The emulator that replaces Identity Platform, if the environment names one: a host with a port, and nothing else.
  static func emulator(_ variable: (String) -> String?) -> BackendName? {
    guard let text = variable(emulatorVariable) else { return nil }
    guard text.wholeMatch(of: #/.*:[0-9]+/?/#) != nil else {
      GivenText.refuse("\(emulatorVariable): the port is missing; give the emulator's host and port (localhost:9099)")
    }
    return name("http://\(text)", of: emulatorVariable)
  }

  private static func name(_ text: String?, of variable: String) -> BackendName? {
    guard let text else { return nil }
    do throws(AuthError) { return try BackendName(text) } catch {
      GivenText.refuse("\(variable): \(error.message)")
    }
  }
}
