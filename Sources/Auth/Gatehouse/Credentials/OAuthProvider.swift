public import Foundation
import GatehouseBase
import GatehouseCore

/// Makes credentials from the tokens of identity providers: Apple, Microsoft, any OpenID Connect provider.
///
/// A nonce ties an ID token to one sign-in: make a random string, send its SHA-256 in hex as `nonce` when you request
/// the token, and pass the string itself here. Without a nonce, a stolen token can sign in until it expires.
public enum OAuthProvider {
  /// Returns a credential for an ID token.
  ///
  /// - Parameters:
  ///   - providerID: the identity provider.
  ///   - idToken: its ID token.
  ///   - rawNonce: the string whose SHA-256 is the token's `nonce`; required if the token has a nonce.
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

  /// Returns a credential for an access token.
  public static func credential(providerID: AuthProviderID, accessToken: String) -> AuthCredential {
    var credential = IdentityCredential(providerID: providerID.rawValue)
    credential.accessToken = Secret(accessToken)
    return AuthCredential(.identity(credential))
  }

  /// Returns a credential for an ID token of the provider with a name.
  public static func credential(
    withProviderID providerID: String, idToken: String, rawNonce: String? = nil, accessToken: String? = nil
  ) -> AuthCredential {
    credential(
      providerID: AuthProviderID(rawValue: providerID), idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
  }

  /// Returns a credential for an access token of the provider with a name.
  public static func credential(withProviderID providerID: String, accessToken: String) -> AuthCredential {
    credential(providerID: AuthProviderID(rawValue: providerID), accessToken: accessToken)
  }

  /// Returns a credential for Apple's ID token. Apple reports the user's name only at the first sign-in, separately
  /// from the token; a new account receives it.
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
