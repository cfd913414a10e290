import IdentityToolkit

/// Where the link of a message leads.
public struct ActionLinkSettings: Sendable, Hashable {
  /// Where the user is to arrive in the end. Its domain must be one that the project allows.
  public var url: String
  /// Whether the link opens in an app, and not on a web page of the project. A sign-in link must.
  public var handleCodeInApp: Bool
  /// The domain of the link, where the project has several.
  public var linkDomain: String?

  /// Settings with an address, and what else is given.
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
