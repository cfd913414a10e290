import GatehouseCore

/// A way to sign in, as a provider's factory makes it: `EmailAuthProvider.credential(withEmail:password:)`.
///
/// Prints no password and no code.
public struct AuthCredential: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case ready(Credential)
    /// A link as it was given: read when it is used, because making a credential cannot fail.
    case link(email: String, Secret)
  }

  private let kind: Kind

  init(_ credential: Credential) { kind = .ready(credential) }

  /// A credential of an address and the link of a message to it.
  init(email: String, link: String) { kind = .link(email: email, Secret(link)) }

  /// The identity provider: `password`, for links as well.
  public var provider: String {
    switch kind {
    case .ready(let credential): credential.providerID
    case .link: EmailAuthProvider.id
    }
  }

  /// - Throws: `.invalidArgument` for a link that does not sign in.
  func resolved() throws(AuthError) -> Credential {
    switch kind {
    case .ready(let credential): return credential
    case .link(let email, let link):
      guard let url = ActionCodeURL(link: link.revealed), url.operation == .emailLink, let code = url.code else {
        throw AuthError(.invalidArgument, "this is not a sign-in link: it needs mode=signIn and oobCode=…")
      }
      return .emailLink(email: email, code: Secret(code))
    }
  }
}
