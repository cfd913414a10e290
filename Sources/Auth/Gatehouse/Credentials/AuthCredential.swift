import GatehouseBase
package import GatehouseCore
import IdentityToolkit

/// The proof that a user signs in with. A provider's factory makes it:
/// `EmailAuthProvider.credential(withEmail:password:)`.
///
/// Its description contains no password, code or token.
public struct AuthCredential: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case ready(Credential)
    /// An unparsed link. It is read when it is used, because making a credential cannot fail.
    case link(email: String, Secret)
  }

  private let kind: Kind

  init(_ credential: Credential) { kind = .ready(credential) }

  /// A credential of an address and the link of a message to it.
  init(email: String, link: String) { kind = .link(email: email, Secret(link)) }

  init(refused: RefusedCredential) {
    switch refused {
    case .identity(let credential): self.init(.identity(credential))
    case .phone(let number, let proof): self.init(.phone(.temporary(proof, number: number)))
    }
  }

  /// The identity provider: `google.com`, `phone`; `password` for an address, also with a link.
  public var provider: String {
    switch kind {
    case .ready(let credential): credential.providerID
    case .link: EmailAuthProvider.id
    }
  }

  /// The identity provider's ID token, if there is one.
  public var idToken: String? { given?.idToken?.revealed }
  /// The identity provider's access token, if there is one.
  public var accessToken: String? { given?.accessToken?.revealed }
  /// The secret of an OAuth 1 access token, if there is one.
  public var secret: String? { given?.secret?.revealed }

  private var given: IdentityCredential? {
    guard case .ready(.identity(let credential)) = kind else { return nil }
    return credential
  }

  /// The code that was sent to a phone, and the identifier of its message; `nil` for any other credential.
  var phoneCode: PhoneVerificationInfo? {
    guard case .ready(.phone(.code(let code, let session))) = kind else { return nil }
    return PhoneVerificationInfo(sessionInfo: session, code: code)
  }

  /// The proof of a phone; `nil` for any other credential.
  var phoneProof: PhoneProof? {
    guard case .ready(.phone(let proof)) = kind else { return nil }
    return proof
  }

  /// - Throws: `.invalidArgument` for a link that does not sign in.
  package func resolved() throws(AuthError) -> Credential {
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

/// Firebase's name for a credential of a phone.
public typealias PhoneAuthCredential = AuthCredential

extension AuthError {
  /// The credential that was refused because of another account, and is still valid. For
  /// `.accountExistsWithDifferentCredential`, link it once the user has signed in to that account. For
  /// `.credentialAlreadyInUse`, sign in with it to the account that it belongs to.
  public var updatedCredential: AuthCredential? { refusedCredential.map(AuthCredential.init(refused:)) }
}
