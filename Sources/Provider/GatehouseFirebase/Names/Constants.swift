public import Foundation
public import Gatehouse

// Firebase's constants that stand alone, beside those that belong to a type.

/// `AuthErrors.domain`.
public let AuthErrorDomain = AuthErrors.domain
/// `AuthErrors.userInfoNameKey`.
public let AuthErrorUserInfoNameKey = AuthErrors.userInfoNameKey
/// `AuthErrors.userInfoEmailKey`.
public let AuthErrorUserInfoEmailKey = AuthErrors.userInfoEmailKey
/// `AuthErrors.userInfoUpdatedCredentialKey`.
public let AuthErrorUserInfoUpdatedCredentialKey = AuthErrors.userInfoUpdatedCredentialKey
/// `AuthErrors.userInfoMultiFactorResolverKey`.
public let AuthErrorUserInfoMultiFactorResolverKey = AuthErrors.userInfoMultiFactorResolverKey

/// The provider of passwords and links: `EmailAuthProvider.id`.
public let EmailAuthProviderID = EmailAuthProvider.id
/// `GoogleAuthProvider.id`.
public let GoogleAuthProviderID = GoogleAuthProvider.id
/// `FacebookAuthProvider.id`.
public let FacebookAuthProviderID = FacebookAuthProvider.id
/// `GitHubAuthProvider.id`.
public let GitHubAuthProviderID = GitHubAuthProvider.id
/// `TwitterAuthProvider.id`.
public let TwitterAuthProviderID = TwitterAuthProvider.id
/// `PhoneAuthProvider.id`.
public let PhoneAuthProviderID = PhoneAuthProvider.id

/// The sign-in method of a password: `password`.
public let EmailPasswordAuthSignInMethod = "password"
/// The sign-in method of a link: `emailLink`.
public let EmailLinkAuthSignInMethod = "emailLink"
/// The sign-in method of Google: `google.com`.
public let GoogleAuthSignInMethod = GoogleAuthProvider.id
/// The sign-in method of Facebook: `facebook.com`.
public let FacebookAuthSignInMethod = FacebookAuthProvider.id
/// The sign-in method of GitHub: `github.com`.
public let GitHubAuthSignInMethod = GitHubAuthProvider.id
/// The sign-in method of Twitter: `twitter.com`.
public let TwitterAuthSignInMethod = TwitterAuthProvider.id
/// The sign-in method of phones: `phone`.
public let PhoneAuthSignInMethod = PhoneAuthProvider.id

/// The kind of a phone as a second factor: `PhoneMultiFactorGenerator.factorID`.
public let PhoneMultiFactorID = PhoneMultiFactorGenerator.factorID
/// The kind of an authenticator app as a second factor: `TOTPMultiFactorGenerator.factorID`.
public let TOTPMultiFactorID = TOTPMultiFactorGenerator.factorID

extension Notification.Name {
  /// Posted on the callback queue when the user of a `FirebaseApp` changes; the object is its `Auth`.
  public static let AuthStateDidChange = Notification.Name("FIRAuthStateDidChangeNotification")
}

extension Auth {
  /// `.AuthStateDidChange`.
  public static let authStateDidChangeNotification = Notification.Name.AuthStateDidChange
}

extension AuthErrorCode {
  /// The name that codes have in Firebase 8 to 10: `AuthErrorCode.Code(rawValue: error.code)`.
  public typealias Code = AuthErrorCode
  /// `AuthErrorDomain`, as Firebase 8 to 10 name it.
  public static let errorDomain = AuthErrors.domain
}

extension ActionCodeSettings {
  /// Sets the iOS app that opens the link. Gatehouse itself does not read it; it is sent to the provider.
  public func setIOSBundleID(_ iOSBundleID: String) { self.iOSBundleID = iOSBundleID }
}
