public import Foundation
import GatehouseBase
import GatehouseCore

/// Makes credentials of what identity providers give: Apple, Microsoft, any OpenID Connect provider.
///
/// A nonce ties an ID token to one sign-in: make a random text, send its SHA-256 in hex as `nonce` when you ask the
/// identity provider for the token, and give the text itself here. Without one, a stolen token signs in until it
/// expires.
public enum OAuthProvider {
  /// A credential of an ID token.
  ///
  /// - Parameters:
  ///   - providerID: the identity provider.
  ///   - idToken: its ID token.
  ///   - rawNonce: what the token's `nonce` is the SHA-256 of; needed where the token has one.
  ///   - accessToken: its access token.
  public static func credential(
    providerID: AuthProviderID, idToken: String, rawNonce: String? = nil, accessToken: String? = nil
  ) -> AuthCredential {
    var credential = IdentityCredential(providerID: providerID.rawValue)
    credential.idToken = Secret(idToken)
    credential.rawNonce = rawNonce.map(Secret.init)
    credential.accessToken = accessToken.map(Secret.init)
    return AuthCredential(.identity(credential))
  }

  /// A credential of an access token.
  public static func credential(providerID: AuthProviderID, accessToken: String) -> AuthCredential {
    var credential = IdentityCredential(providerID: providerID.rawValue)
    credential.accessToken = Secret(accessToken)
    return AuthCredential(.identity(credential))
  }

  /// A credential of an ID token, of a provider by its name.
  public static func credential(
    withProviderID providerID: String, idToken: String, rawNonce: String? = nil, accessToken: String? = nil
  ) -> AuthCredential {
    credential(
      providerID: AuthProviderID(rawValue: providerID), idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
  }

  /// A credential of an access token, of a provider by its name.
  public static func credential(withProviderID providerID: String, accessToken: String) -> AuthCredential {
    credential(providerID: AuthProviderID(rawValue: providerID), accessToken: accessToken)
  }

  /// A credential of Apple's ID token. Apple tells the user's name at the first sign-in only, and beside the token: a
  /// new account gets it.
  public static func appleCredential(
    withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents? = nil
  ) -> AuthCredential {
    var credential = IdentityCredential(providerID: AuthProviderID.apple.rawValue)
    credential.idToken = Secret(idToken)
    credential.rawNonce = rawNonce.map(Secret.init)
    let parts = [fullName?.givenName, fullName?.familyName].compactMap(\.self).filter { !$0.isEmpty }
    credential.fullName = parts.isEmpty ? nil : parts.joined(separator: " ")
    return AuthCredential(.identity(credential))
  }
}

/// Firebase's name for a credential of an identity provider.
public typealias OAuthCredential = AuthCredential
