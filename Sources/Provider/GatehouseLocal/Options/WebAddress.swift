import FoundationEssentials

/// Checks URLs of web pages.
enum WebAddress {
  /// Returns the lowercase host of a URL with `http` or `https` and without a user; `nil` for any other text.
  static func host(of url: String) -> String? {
    guard url.utf8.count <= 2048, let components = URLComponents(string: url),
      let scheme = components.scheme?.lowercased(), scheme == "https" || scheme == "http",
      let host = components.host, !host.isEmpty, components.user == nil, components.password == nil
    else { return nil }
    return host.lowercased()
  }
}
