public import Gatehouse
public import GatehouseBase

/// The name of Firebase's module, for programs that write it before a type: `FirebaseAuth.User`, beside a `User` of
/// their own.
public enum FirebaseAuth {
  /// `ActionCodeInfo`.
  public typealias ActionCodeInfo = Gatehouse.ActionCodeInfo
  /// `ActionCodeOperation`.
  public typealias ActionCodeOperation = Gatehouse.ActionCodeOperation
  /// `ActionCodeSettings`.
  public typealias ActionCodeSettings = Gatehouse.ActionCodeSettings
  /// `ActionCodeURL`.
  public typealias ActionCodeURL = Gatehouse.ActionCodeURL
  /// `AdditionalUserInfo`.
  public typealias AdditionalUserInfo = Gatehouse.AdditionalUserInfo
  /// `Auth`.
  public typealias Auth = Gatehouse.Auth
  /// `AuthCredential`.
  public typealias AuthCredential = Gatehouse.AuthCredential
  /// `AuthDataResult`.
  public typealias AuthDataResult = Gatehouse.AuthDataResult
  /// `AuthDataResultCallback`.
  public typealias AuthDataResultCallback = GatehouseFirebase.AuthDataResultCallback
  /// `AuthErrorCode`.
  public typealias AuthErrorCode = Gatehouse.AuthErrorCode
  /// `AuthErrors`.
  public typealias AuthErrors = GatehouseBase.AuthErrors
  /// `AuthProviderID`.
  public typealias AuthProviderID = Gatehouse.AuthProviderID
  /// `AuthStateDidChangeListenerHandle`.
  public typealias AuthStateDidChangeListenerHandle = Gatehouse.AuthStateDidChangeListenerHandle
  /// `AuthTokenResult`.
  public typealias AuthTokenResult = Gatehouse.AuthTokenResult
  /// `AuthUIDelegate`.
  public typealias AuthUIDelegate = GatehouseFirebase.AuthUIDelegate
  /// `EmailAuthProvider`.
  public typealias EmailAuthProvider = Gatehouse.EmailAuthProvider
  /// `FacebookAuthProvider`.
  public typealias FacebookAuthProvider = Gatehouse.FacebookAuthProvider
  /// `GitHubAuthProvider`.
  public typealias GitHubAuthProvider = Gatehouse.GitHubAuthProvider
  /// `GoogleAuthProvider`.
  public typealias GoogleAuthProvider = Gatehouse.GoogleAuthProvider
  /// `IDTokenDidChangeListenerHandle`.
  public typealias IDTokenDidChangeListenerHandle = Gatehouse.IDTokenDidChangeListenerHandle
  /// `MultiFactor`.
  public typealias MultiFactor = Gatehouse.MultiFactor
  /// `MultiFactorAssertion`.
  public typealias MultiFactorAssertion = Gatehouse.MultiFactorAssertion
  /// `MultiFactorInfo`.
  public typealias MultiFactorInfo = GatehouseFirebase.MultiFactorInfo
  /// `MultiFactorResolver`.
  public typealias MultiFactorResolver = Gatehouse.MultiFactorResolver
  /// `MultiFactorSession`.
  public typealias MultiFactorSession = Gatehouse.MultiFactorSession
  /// `OAuthCredential`.
  public typealias OAuthCredential = Gatehouse.OAuthCredential
  /// `OAuthProvider`.
  public typealias OAuthProvider = Gatehouse.OAuthProvider
  /// `PhoneAuthCredential`.
  public typealias PhoneAuthCredential = Gatehouse.PhoneAuthCredential
  /// `PhoneAuthProvider`.
  public typealias PhoneAuthProvider = Gatehouse.PhoneAuthProvider
  /// `PhoneMultiFactorGenerator`.
  public typealias PhoneMultiFactorGenerator = Gatehouse.PhoneMultiFactorGenerator
  /// `PhoneMultiFactorInfo`.
  public typealias PhoneMultiFactorInfo = GatehouseFirebase.PhoneMultiFactorInfo
  /// `TOTPMultiFactorGenerator`.
  public typealias TOTPMultiFactorGenerator = Gatehouse.TOTPMultiFactorGenerator
  /// `TOTPMultiFactorInfo`.
  public typealias TOTPMultiFactorInfo = GatehouseFirebase.TOTPMultiFactorInfo
  /// `TOTPSecret`.
  public typealias TOTPSecret = Gatehouse.TOTPSecret
  /// `TwitterAuthProvider`.
  public typealias TwitterAuthProvider = Gatehouse.TwitterAuthProvider
  /// `User`.
  public typealias User = Gatehouse.User
  /// `UserInfo`.
  public typealias UserInfo = GatehouseFirebase.UserInfo
  /// `UserMetadata`.
  public typealias UserMetadata = Gatehouse.UserMetadata
  /// `UserProfileChangeRequest`.
  public typealias UserProfileChangeRequest = Gatehouse.UserProfileChangeRequest
}
