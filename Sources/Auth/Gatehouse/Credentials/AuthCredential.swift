/// A way to sign in, as a provider's factory makes it: `EmailAuthProvider.credential(withEmail:password:)`.
public struct AuthCredential: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case password(email: String, Secret)
  }

  let kind: Kind

  /// The provider's identifier: `password`.
  public var provider: String {
    switch kind {
    case .password: EmailAuthProvider.id
    }
  }
}

/// Makes credentials of an address and a password.
public enum EmailAuthProvider {
  /// `password`, as the protocol calls it.
  public static let id = "password"

  /// A credential of an address and a password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    AuthCredential(kind: .password(email: email, Secret(password)))
  }
}
