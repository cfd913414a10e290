import GatehouseBase
import GatehouseHTTP

/// Decides which web pages may make calls of a server that is not an emulator (decision 148).
///
/// A page's requests come from its visitor's network, and could use up what that network may do.
///
///     request                                             sender
///     has an `Origin` that is allowed                     a page that may call
///     has any other `Origin`, such as `null`              a foreign page
///     has no `Origin`, and `Sec-Fetch-Site` says that     a foreign page: an image, a script or a link of it
///     another site's page has sent it
///     any other                                           an app or a server
struct PageOrigins: Sendable {
  enum Sender { case noPage, allowedPage, foreignPage }

  /// An origin that is named in the options.
  private enum Named {
    case every
    case web(HTTPOrigin)
    /// An app's or an extension's scheme and host: `capacitor://localhost`.
    case app(String)
  }

  /// Whether pages of every origin may call.
  private let allowsEvery: Bool
  /// The named web origins; `nil` for the pages of the provider's authorized domains.
  private let web: Set<HTTPOrigin>?
  private let apps: [String]
  private let publicOrigin: HTTPOrigin?

  /// - Parameters:
  ///   - named: the allowed origins; `nil` for the pages of the provider's authorized domains. Malformed ones allow
  ///     nothing.
  ///   - publicURL: the URL at which clients reach the server, if it is known. Its own pages may call. The request's
  ///     `Host` is not compared: the owner of a name decides which page and which server have it.
  init(_ named: [String]?, publicURL: String?) {
    var (allowsEvery, web, apps) = (false, Set<HTTPOrigin>(), [String]())
    for text in named ?? [] {
      guard let origin = try? Self.read(text) else { continue }
      switch origin {
      case .every: allowsEvery = true
      case .web(let origin): web.insert(origin)
      case .app(let origin): apps.append(origin)
      }
    }
    (self.allowsEvery, self.apps) = (allowsEvery, apps)
    self.web = named == nil ? nil : web
    publicOrigin = publicURL.flatMap { try? HTTPOrigin(of: $0) }
  }

  /// Returns the kind of a request's sender.
  ///
  /// - Parameter domains: the provider's authorized domains.
  func sender(of request: ServerRequest, _ domains: @autoclosure () -> [String]) -> Sender {
    guard let origin = request.value(of: .origin) else {
      let site = request.value(of: .fetchSite)
      return site == "cross-site" || site == "same-site" ? (allowsEvery ? .allowedPage : .foreignPage) : .noPage
    }
    return allows(origin, domains) ? .allowedPage : .foreignPage
  }

  private func allows(_ text: String, _ domains: () -> [String]) -> Bool {
    if allowsEvery || apps.contains(where: { $0.isExactly(text) }) { return true }
    guard let origin = try? HTTPOrigin(origin: text) else { return false }
    if origin == publicOrigin { return true }
    return web?.contains(origin) ?? domains().contains { origin.isPage(of: $0) }
  }

  /// Refuses origins that no page has.
  static func check(_ named: [String]) throws(AuthError) {
    for text in named { _ = try read(text) }
  }

  private static func read(_ text: String) throws(AuthError) -> Named {
    func refused(_ advice: String) -> AuthError {
      AuthError(.invalidArgument, "the allowed origin \(text.printable()) \(advice)")
    }
    if text.isExactly("*") { return .every }
    guard !text.isExactly("null") else {
      throw refused("is that of sandboxed frames, which every page can make; name * if every page may call")
    }
    guard !text.utf8.contains(UInt8(ascii: "*")) else {
      throw refused("has a wildcard inside; name each origin, or * alone for every page")
    }
    guard let end = text.firstRange(of: "://") else {
      throw refused("has no scheme; write https:// before the host, as in https://app.example.com")
    }
    let scheme = text[..<end.lowerBound].lowercased(), host = text[end.upperBound...]
    guard !host.utf8.contains(where: "/?#".utf8.contains) else {
      throw refused("has more than a scheme, a host and a port; leave the path out, and the last /")
    }
    if scheme == "https" || scheme == "http" {
      do throws(AuthError) { return .web(try HTTPOrigin(of: text)) } catch {
        throw refused("is not a web page's: \(error.message); write other letters than ASCII as xn--…")
      }
    }
    let isScheme =
      scheme.first?.isLetter == true
      && scheme.utf8.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
    let isHost = !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"@\\\"<>,".utf8.contains($0) }
    guard isScheme, isHost, scheme != "file" else {
      throw refused("is none that an app or an extension can have; write a scheme and a host: capacitor://localhost")
    }
    return .app("\(scheme)://\(host)")
  }
}

extension HTTPOrigin {
  /// Parses a header field `Origin`, which has no path.
  fileprivate init(origin text: String) throws(AuthError) {
    try self.init(of: text)
    guard let start = text.firstRange(of: "://")?.upperBound, !text[start...].utf8.contains(where: "/?".utf8.contains)
    else { throw AuthError(.invalidArgument, "an origin has no path") }
  }

  /// Whether this is the origin of pages of a domain: HTTPS at its usual port, or at this machine any scheme and port.
  fileprivate func isPage(of domain: String) -> Bool {
    let domain = domain.lowercased()
    guard domain.isExactly(host) || domain.isExactly("[\(host)]") else { return false }
    return isOwn || (isSecure && port == 443)
  }
}
