import FoundationEssentials

/// Checks URLs of web pages, and adds to them.
package enum WebAddress {
  /// Returns the lowercase host of a URL with `http` or `https` and without a user; `nil` for any other text.
  static func host(of url: String) -> String? {
    guard url.utf8.count <= 2048, let components = URLComponents(string: url),
      let scheme = components.scheme?.lowercased(), scheme == "https" || scheme == "http",
      let host = components.host, !host.isEmpty, components.user == nil, components.password == nil
    else { return nil }
    return host.lowercased()
  }

  /// Whether a URL has a user name or a password before its host: `https://user:password@host/`. A text without `://` is
  /// not a URL.
  static func hasUser(_ url: String) -> Bool {
    guard let start = url.firstRange(of: "://") else { return false }
    return url[start.upperBound...].utf8.prefix { !"/?#".utf8.contains($0) }.contains(UInt8(ascii: "@"))
  }

  /// Returns a URL with a query, or with more of it, before its fragment (RFC 3986 §3): pages with a router in the
  /// browser have one.
  package static func adding(query: String, to url: String) -> String {
    let bytes = url.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let mark = bytes[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
    return "\(url[..<end])\(mark)\(query)\(url[end...])"
  }
}
