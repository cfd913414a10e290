import GatehouseHTTP

/// Decides which web pages may use an emulator: a browser lets every page send requests to this machine.
struct EmulatorOrigins: Sendable {
  private let allowed: Set<HTTPOrigin>

  init(_ options: ServerOptions) {
    let named = options.emulatorOrigins + (options.publicURL.map { [$0] } ?? [])
    allowed = Set(named.compactMap { try? HTTPOrigin(of: $0) })
  }

  /// Whether the request is from no page, or from a page of this machine or of an allowed origin.
  func allow(_ request: ServerRequest) -> Bool {
    if let text = request.headers["Origin"] {
      guard let origin = try? HTTPOrigin(of: text), origin.isLoopback || allowed.contains(origin) else { return false }
    }
    return hasOwnName(request)
  }

  /// Whether the request names this server as only its own users do. The name of a foreign page can lead to this
  /// machine too ("DNS rebinding"), and then the page's requests have no `Origin`.
  private func hasOwnName(_ request: ServerRequest) -> Bool {
    guard let text = request.headers["Host"], !text.isEmpty else { return true }
    guard let host = try? HTTPOrigin(of: "http://\(text)").host else { return false }
    return !Self.isPublic(host) || allowed.contains { $0.host == host }
  }

  /// Whether anyone could have registered the name. Addresses and names of one word are not public, nor are those below
  /// a domain that is reserved for local use (RFC 6761, RFC 6762, and ICANN's `internal`).
  private static func isPublic(_ host: String) -> Bool {
    guard !host.contains(":") else { return false }
    let labels = host.split(separator: ".")
    guard labels.count > 1, let last = labels.last, Int(last) == nil else { return false }
    return !["localhost", "test", "local", "internal"].contains(last)
  }
}
