package import GatehouseBase

/// The origin of a URL: scheme, host and port (RFC 6454).
///
/// Strict, so that no other parser reads a URL differently: `http` or `https`, a host of letters, digits, dots, hyphens
/// and underscores or an IPv6 address in brackets, printable ASCII throughout. No user name, no fragment, no backslash.
package struct HTTPOrigin: Sendable, Hashable {
  /// Whether the scheme is `https`.
  package let isSecure: Bool
  /// In lower case; an IPv6 address without its brackets.
  package let host: String
  package let port: Int

  /// The maximum length of a URL, in bytes.
  package static let maximumURLLength = 8 << 10

  /// Parses the origin of a URL and validates the rest. Throws `invalidArgument` if anything is malformed.
  package init(of url: String) throws(AuthError) {
    guard url.utf8.count <= Self.maximumURLLength else {
      throw AuthError(.invalidArgument, "the URL is longer than \(Self.maximumURLLength) bytes")
    }
    guard !url.utf8.contains(UInt8(ascii: "#")) else {
      throw AuthError(.invalidArgument, "the URL has a fragment (#…), which no server sees; leave it out")
    }
    guard url.utf8.allSatisfy(\.isURLCharacter) else {
      throw AuthError(.invalidArgument, "the URL has a character that must be percent-encoded")
    }
    let schemes = [("https://", true), ("http://", false)]
    guard let (scheme, isSecure) = schemes.first(where: { url.hasLowercasedPrefix($0.0) }) else {
      throw AuthError(.invalidArgument, "the URL must begin with https:// or http://")
    }
    try self.init(Array(url.utf8.dropFirst(scheme.utf8.count).prefix { !"/?".utf8.contains($0) }), isSecure: isSecure)
  }

  /// Parses a host and perhaps a port, as they are in the header field `Host`. The scheme is `http`.
  package init(authority: String) throws(AuthError) {
    guard authority.utf8.count <= Self.maximumURLLength, !authority.utf8.contains(where: "/?".utf8.contains) else {
      throw Self.noHost
    }
    try self.init(Array(authority.utf8), isSecure: false)
  }

  private init(_ authority: [UInt8], isSecure: Bool) throws(AuthError) {
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw AuthError(.invalidArgument, "the URL must not hold a user name or a password")
    }
    let (host, rest) = try Self.splitHost(authority)
    self.isSecure = isSecure
    self.host = String(decoding: host.map(\.lowercased), as: UTF8.self)
    port = try Self.port(rest) ?? (isSecure ? 443 : 80)
  }

  /// Whether the host is this machine, by name or by address.
  package var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func splitHost(
    _ authority: [UInt8]
  ) throws(AuthError) -> (host: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { throw noHost }
      let host = authority[1..<end]
      guard host.contains(UInt8(ascii: ":")), host.allSatisfy({ $0.isHexadecimal || ":.".utf8.contains($0) }) else {
        throw noHost
      }
      return (host, authority[(end + 1)...])
    }
    let end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let host = authority[..<end]
    guard !host.isEmpty, host.first != UInt8(ascii: "."), host.allSatisfy(\.isHostCharacter) else { throw noHost }
    return (host, authority[end...])
  }

  private static func port(_ text: ArraySlice<UInt8>) throws(AuthError) -> Int? {
    guard let colon = text.first else { return nil }
    let digits = text.dropFirst()
    guard colon == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(\.isDigit),
      let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
    else { throw AuthError(.invalidArgument, "the URL has an invalid port") }
    return port
  }

  private static var noHost: AuthError { AuthError(.invalidArgument, "the URL has no valid host") }
}

extension UInt8 {
  /// Printable ASCII without the characters that URLs must escape, and without `#`: no server sees the fragment.
  fileprivate var isURLCharacter: Bool { (0x21...0x7E).contains(self) && !"\"#<>\\^`{|}".utf8.contains(self) }
  fileprivate var isHostCharacter: Bool { isLetterOrDigit || "-._".utf8.contains(self) }
  fileprivate var isHexadecimal: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lowercased) }
}

extension String {
  fileprivate func hasLowercasedPrefix(_ prefix: String) -> Bool {
    utf8.prefix(prefix.utf8.count).map(\.lowercased).elementsEqual(prefix.utf8)
  }
}
