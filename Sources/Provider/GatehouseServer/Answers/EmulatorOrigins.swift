import GatehouseBase
import GatehouseHTTP

/// Decides which web pages may use an emulator: a browser lets every page send requests to this machine.
struct EmulatorOrigins: Sendable {
  private let allowed: Set<HTTPOrigin>
  /// Origins of apps and extensions, which have schemes of their own: `capacitor://localhost`.
  private let others: Set<ExactText>

  /// - Parameters:
  ///   - named: further origins that are allowed.
  ///   - publicURL: where clients reach the server, if that was given.
  init(_ named: [String], publicURL: String?) {
    allowed = Set((named + (publicURL.map { [$0] } ?? [])).compactMap { try? HTTPOrigin(of: $0) })
    others = named.exactly
  }

  /// Whether the request is from no page, or from a page of this machine or of an allowed origin.
  func allow(_ request: ServerRequest) -> Bool {
    if let text = request.value(of: .origin) {
      let origin = try? HTTPOrigin(of: text)
      guard others.contains(text) || origin.map({ $0.isOwn || allowed.contains($0) }) == true else { return false }
    }
    return hasOwnName(request)
  }

  /// Whether a browser may show the answer in a window or a frame: the page that leads there is this machine's or of an
  /// allowed origin, or there is no such page.
  func allowNavigation(_ request: ServerRequest) -> Bool {
    guard let referer = request.value(of: .referer) else { return request.value(of: .fetchSite) != "cross-site" }
    return allow(page: referer)
  }

  /// Whether a page is this machine's or of an allowed origin.
  func allow(page url: String) -> Bool {
    // Only a browser reads a fragment.
    guard let origin = try? HTTPOrigin(of: String(url.prefix { $0 != "#" })) else { return false }
    return origin.isOwn || allowed.contains(origin)
  }

  /// Whether the request names this server as only its own users do. The name of a foreign page can lead to this
  /// machine too ("DNS rebinding"), and then the page's requests have no `Origin`.
  private func hasOwnName(_ request: ServerRequest) -> Bool {
    guard let text = request.value(of: .host), !text.isEmpty else { return true }
    guard let host = try? HTTPOrigin(authority: text).host else { return false }
    return !Self.isPublic(host) || allowed.contains { $0.host == host }
  }

  /// Whether others could let the name lead to this machine. They cannot for addresses, names of one word, the domains
  /// `localhost` and `test` (RFC 6761), and `docker.internal`. A neighbor in the network can for `local` (RFC 6762).
  private static func isPublic(_ host: String) -> Bool {
    guard !host.contains(":") else { return false }
    let labels = host.split(separator: ".")
    guard labels.count > 1, let last = labels.last, Int(last) == nil else { return false }
    return !(last == "localhost" || last == "test" || labels.suffix(2) == ["docker", "internal"])
  }
}

extension HTTPOrigin {
  /// Whether pages of the origin are this machine's own.
  var isOwn: Bool { isLoopback || host.hasSuffix(".localhost") }
}
