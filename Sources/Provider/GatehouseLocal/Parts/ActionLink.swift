import FoundationEssentials
import GatehouseBase
import IdentityToolkit

/// The destination of a message's link, which is checked before a code is made.
struct ActionLink: Sendable {
  private let base: String
  private let continueURL: String?
  private let locale: String?
  private let projectID: String

  /// - Throws: `INVALID_CONTINUE_URI` for a URL that is not a web page, `UNAUTHORIZED_DOMAIN` for one on a domain that
  ///   is not allowed, `INVALID_HOSTING_LINK_DOMAIN` for a link domain that is not the project's.
  init(_ call: SendOobCode, _ options: LocalOptions) throws(AuthError) {
    continueURL = try call.continueUrl.map { url throws(AuthError) in try Self.checked(url, options) }
    base = try Self.base(call.linkDomain, options)
    locale = call.locale
    projectID = options.projectID
  }

  /// Makes a link of the provider itself.
  init(locale: String?, _ options: LocalOptions) {
    base = options.actionURL
    continueURL = nil
    self.locale = locale
    projectID = options.projectID
  }

  /// Returns the link with a code.
  func url(_ type: ActionCodeType, _ code: ActionCode, of tenant: String) -> Secret {
    var items = [(name: "mode", value: type.mode), ("oobCode", code.secret.revealed), ("apiKey", projectID)]
    if let continueURL { items.append(("continueUrl", continueURL)) }
    if !tenant.isEmpty { items.append(("tenantId", tenant)) }
    if let locale { items.append(("lang", locale)) }
    return Secret(WebAddress.adding(query: FormEncoding.encode(items), to: base))
  }

  private static func checked(_ url: String, _ options: LocalOptions) throws(AuthError) -> String {
    guard let host = WebAddress.host(of: url) else { throw AuthError(server: .invalidContinueURI) }
    guard options.allowsAllDomains || options.authorizedDomains.contains(where: { $0.lowercased().isExactly(host) })
    else {
      throw AuthError(
        server: .unauthorizedDomain,
        "\(host.printable()) is not in authorizedDomains of provider.json, or LocalOptions.authorizedDomains")
    }
    return url
  }

  private static func base(_ domain: String?, _ options: LocalOptions) throws(AuthError) -> String {
    // An emulator has no domain but its own, and ignores others, like Firebase's.
    guard let domain, !options.allowsAllDomains else { return options.actionURL }
    let wanted = domain.lowercased()
    guard let known = options.linkDomains.first(where: { $0.lowercased().isExactly(wanted) }),
      var components = URLComponents(string: options.actionURL)
    else {
      throw AuthError(
        server: .invalidHostingLinkDomain,
        "\(domain.printable()) is not in linkDomains of provider.json, or LocalOptions.linkDomains")
    }
    components.host = known
    return components.string ?? options.actionURL
  }
}

extension ActionCodeType {
  /// The operation's name in links.
  fileprivate var mode: String {
    switch self {
    case .passwordReset: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .emailSignIn: "signIn"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .recoverEmail: "recoverEmail"
    case .revertSecondFactorAddition: "revertSecondFactorAddition"
    default: rawValue
    }
  }
}
