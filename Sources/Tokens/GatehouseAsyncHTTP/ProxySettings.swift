import AsyncHTTPClient
import Foundation
import GatehouseBase
import GatehouseHTTP

/// The proxies in the environment, as curl reads them: `http_proxy`, `https_proxy` and `all_proxy`, each
/// `[http://|socks5://][USER:PASSWORD@]HOST[:PORT]`, and `no_proxy`. All but the first may be in upper case.
package struct ProxySettings: Sendable {
  private typealias Proxy = HTTPClient.Configuration.Proxy

  private let plain: Result<Proxy?, AuthError>
  private let secure: Result<Proxy?, AuthError>
  /// Hosts that are reached without a proxy, in lower case. A name also covers all of its subdomains.
  private let exceptions: [String]

  package static var environment: Self {
    let variables = ProcessInfo.processInfo.environment
    return Self { variables[$0] }
  }

  /// - Parameter variable: returns a variable of the environment.
  package init(_ variable: (String) -> String?) {
    func value(_ names: [String]) -> (name: String, text: String)? {
      for name in names {
        if let text = variable(name), !text.isEmpty { return (name, text) }
      }
      return nil
    }
    // `HTTP_PROXY` is not read: in a CGI program it contains the client's header field `Proxy`.
    plain = Self.proxy(value(["http_proxy", "all_proxy", "ALL_PROXY"]))
    secure = Self.proxy(value(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]))
    exceptions = (value(["no_proxy", "NO_PROXY"])?.text ?? "").lowercased().split { ", ".contains($0) }.map { host in
      String(host.drop { $0 == "." })
    }
  }

  /// All proxies.
  var all: [HTTPClient.Configuration.Proxy] { [plain, secure].compactMap { try? $0.get() } }

  /// The proxy for a server; `nil` if there is none.
  ///
  /// - Throws: `.networkError` for an unusable proxy: bypassing it is not what the environment asks for.
  func proxy(for origin: HTTPOrigin) throws(AuthError) -> HTTPClient.Configuration.Proxy? {
    let isExcepted = exceptions.contains { $0 == "*" || origin.host == $0 || origin.host.hasSuffix("." + $0) }
    return isExcepted ? nil : try (origin.isSecure ? secure : plain).typed()
  }

  private static func proxy(_ setting: (name: String, text: String)?) -> Result<Proxy?, AuthError> {
    guard let setting else { return .success(nil) }
    let refusal = AuthError(
      .networkError,
      "the proxy of the environment (\(setting.name)) cannot be used; "
        + "write it as http://HOST:PORT or socks5://HOST:PORT"
    )
    let parts = setting.text.split(separator: "://", maxSplits: 1).map(String.init)
    let (scheme, address) = parts.count == 2 ? (parts[0].lowercased(), parts[1]) : ("http", setting.text)
    let account = address.lastIndex(of: "@").map { address[..<$0] }
    let place = account.map { address[address.index(after: $0.endIndex)...] } ?? address[...]
    guard let origin = try? HTTPOrigin(of: "http://\(place)") else { return .failure(refusal) }
    // An IPv6 address contains colons. Without a port, curl uses 1080.
    let end = place.hasPrefix("[") ? place.drop { $0 != "]" } : place
    let port = end.contains(":") ? origin.port : 1080
    switch scheme {
    case "socks5", "socks5h": return .success(.socksServer(host: origin.host, port: port))
    case "http": return .success(.server(host: origin.host, port: port, authorization: account.map(authorization)))
    default: return .failure(refusal)
    }
  }

  private static func authorization(_ account: Substring) -> HTTPClient.Authorization {
    let parts = account.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { part in
      String(part).removingPercentEncoding ?? String(part)
    }
    return .basic(username: parts[0], password: parts.count > 1 ? parts[1] : "")
  }
}
