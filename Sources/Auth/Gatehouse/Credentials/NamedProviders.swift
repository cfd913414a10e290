import GatehouseBase
import GatehouseCore

/// Makes credentials of what Google gives.
public enum GoogleAuthProvider {
  /// `google.com`, as the protocol calls it.
  public static let id = "google.com"

  /// A credential of an ID token.
  public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
    OAuthProvider.credential(providerID: .google, idToken: idToken, accessToken: accessToken)
  }
}

/// Makes credentials of what Facebook gives.
public enum FacebookAuthProvider {
  /// `facebook.com`, as the protocol calls it.
  public static let id = "facebook.com"

  /// A credential of an access token.
  public static func credential(withAccessToken accessToken: String) -> AuthCredential {
    OAuthProvider.credential(providerID: .facebook, accessToken: accessToken)
  }
}

/// Makes credentials of what GitHub gives.
public enum GitHubAuthProvider {
  /// `github.com`, as the protocol calls it.
  public static let id = "github.com"

  /// A credential of an access token.
  public static func credential(withToken token: String) -> AuthCredential {
    OAuthProvider.credential(providerID: .gitHub, accessToken: token)
  }
}

/// Makes credentials of what X, formerly Twitter, gives.
public enum TwitterAuthProvider {
  /// `twitter.com`, as the protocol calls it.
  public static let id = "twitter.com"

  /// A credential of an OAuth 1 access token and its secret.
  public static func credential(withToken token: String, secret: String) -> AuthCredential {
    var credential = IdentityCredential(providerID: id)
    credential.accessToken = Secret(token)
    credential.secret = Secret(secret)
    return AuthCredential(.identity(credential))
  }
}

/// Makes credentials of what a SAML identity provider gives.
public enum SAMLAuthProvider {
  /// A credential of a SAML response. The embedded provider checks no XML signatures, and so takes none.
  ///
  /// - Parameters:
  ///   - providerID: the identity provider: `saml.` and its name.
  ///   - response: the response, in base64, as it came in `SAMLResponse`.
  public static func credential(providerID: String, response: String) -> AuthCredential {
    var credential = IdentityCredential(providerID: providerID)
    credential.samlResponse = Secret(response)
    return AuthCredential(.identity(credential))
  }
}
