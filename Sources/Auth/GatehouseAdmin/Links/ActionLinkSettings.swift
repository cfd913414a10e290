import IdentityToolkit

/// The settings of a message's link.
public struct ActionLinkSettings: Sendable, Hashable {
  /// The page that the user reaches in the end. The project must allow its domain.
  public var url: String
  /// Whether the link opens in an app instead of on a web page of the project. A sign-in link must open in an app.
  public var handleCodeInApp: Bool
  /// The domain of the link, if the project has several.
  public var linkDomain: String?

  /// Makes settings with an address and optional values.
  public init(url: String, handleCodeInApp: Bool = false, linkDomain: String? = nil) {
    self.url = url
    self.handleCodeInApp = handleCodeInApp
    self.linkDomain = linkDomain
  }
}

extension MakeActionLink {
  init(_ type: ActionCodeType, email: String, _ settings: ActionLinkSettings?) {
    self.init(type, email: email)
    continueUrl = settings?.url
    canHandleCodeInApp = settings?.handleCodeInApp
    linkDomain = settings?.linkDomain
  }
}
