import GatehouseBase
import GatehouseHTTP

/// The content of a header field `Authorization`: a scheme, and a token of RFC 9110 §11.2.
struct Authorization {
  /// In lower case.
  let scheme: String
  let token: String

  /// Returns `nil` for a value of another form. `Basic` also has this form.
  init?(_ value: String) {
    let words = value.utf8.split(separator: UInt8(ascii: " "))
    guard words.count == 2, words[0].allSatisfy(\.isTokenCharacter) else { return nil }
    let body = words[1].reversed().drop { $0 == UInt8(ascii: "=") }
    guard !body.isEmpty, body.allSatisfy({ $0.isLetterOrDigit || "-._~+/".utf8.contains($0) }) else { return nil }
    scheme = String(decoding: words[0].map(\.lowercased), as: UTF8.self)
    token = String(decoding: words[1], as: UTF8.self)
  }
}

/// The cookies of a request (RFC 6265 §4.2).
enum RequestCookies {
  /// The values of all cookies with a name: pages of a sibling host can set a second one.
  static func values(of name: String, in headers: TransportHeaders) -> [String] {
    headers.values(of: "Cookie").flatMap { field -> [String] in
      field.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
        let trimmed = pair.drop { $0 == UInt8(ascii: " ") }
        guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")), trimmed[..<equals].elementsEqual(name.utf8)
        else { return nil }
        return String(decoding: trimmed[trimmed.index(after: equals)...], as: UTF8.self)
      }
    }
  }
}

/// The origin of a browser's request. Browsers send cookies with requests that any page makes.
enum RequestOrigin {
  /// Whether a request with a cookie may be performed: it only reads, or no page of another origin has sent it. The
  /// server's own origin is `https` and its `Host`; on this machine, it may be `http`. Clients other than browsers send
  /// neither of the two header fields.
  static func mayChange(_ method: String, _ headers: TransportHeaders) -> Bool {
    if ["GET", "HEAD", "OPTIONS"].contains(method) { return true }
    let sites = headers.values(of: "Sec-Fetch-Site"), origins = headers.values(of: "Origin")
    // A proxy or a framework could use another one of two fields than this.
    guard sites.count < 2, origins.count < 2 else { return false }
    if let site = sites.first { return site.isExactly("same-origin") || site.isExactly("none") }
    guard let origin = origins.first else { return true }
    let hosts = headers.values(of: "Host")
    guard hosts.count == 1, let host = hosts.first, let origin = try? HTTPOrigin(of: origin) else { return false }
    // Others on the network can change a page that came without TLS, unless it came from this machine.
    let scheme = origin.isLoopback && !origin.isSecure ? "http" : "https"
    return !host.utf8.contains(where: "/?".utf8.contains) && (try? HTTPOrigin(of: "\(scheme)://\(host)")) == origin
  }
}
