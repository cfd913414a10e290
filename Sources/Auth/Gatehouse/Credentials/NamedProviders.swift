import GatehouseBase
import GatehouseCore

/// Makes credentials from Google's tokens.
public enum GoogleAuthProvider {
  /// `google.com`, as the protocol calls it.
  public static let id = "google.com"

  /// Returns a credential for an ID token.
  public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
    OAuthProvider.credential(providerID: .google, idToken: idToken, accessToken: accessToken)
  }
}

/// Makes credentials from Facebook's tokens.
public enum FacebookAuthProvider {
  /// `facebook.com`, as the protocol calls it.
  public static let id = "facebook.com"

  /// Returns a credential for an access token.
  public static func credential(withAccessToken accessToken: String) -> AuthCredential {
    OAuthProvider.credential(providerID: .facebook, accessToken: accessToken)
  }
}

/// Makes credentials from GitHub's tokens.
public enum GitHubAuthProvider {
  /// `github.com`, as the protocol calls it.
  public static let id = "github.com"

  /// Returns a credential for an access token.
  public static func credential(withToken token: String) -> AuthCredential {
    OAuthProvider.credential(providerID: .gitHub, accessToken: token)
  }
}

/// Makes credentials from the tokens of X, formerly Twitter.
public enum TwitterAuthProvider {
  /// `twitter.com`, as the protocol calls it.
  public static let id = "twitter.com"

  /// Returns a credential for an OAuth 1 access token and its secret.
  public static func credential(withToken token: String, secret: String) -> AuthCredential {
    var credential = IdentityCredential(providerID: id)
    credential.accessToken = Secret(token)
    credential.secret = Secret(secret)
    return AuthCredential(.identity(credential))
  }
}

/// Makes credentials from the responses of SAML identity providers.
public enum SAMLAuthProvider {
  /// Returns a credential for a SAML response. The embedded provider does not verify XML signatures, so it accepts no
  /// SAML responses.
  ///
  /// - Parameters:
  ///   - providerID: the identity provider: `saml.` and its name.
  ///   - response: the response in base64, as received in `SAMLResponse`.
  public static func credential(providerID: String, response: String) -> AuthCredential {
    var credential = IdentityCredential(providerID: providerID)
    credential.samlResponse = Secret(response)
    return AuthCredential(.identity(credential))
  }
}
