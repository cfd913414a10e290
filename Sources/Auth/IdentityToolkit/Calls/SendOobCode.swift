public import GatehouseBase

/// Sends a message with a code ("out of band"): to verify an address, to reset a password, to sign in.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/sendOobCode
public struct SendOobCode: LocalizedCall, TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:sendOobCode"

  /// The purpose of the code.
  public var requestType: ActionCodeType
  /// The recipient, for a password reset and a sign-in.
  public var email: String?
  /// The ID token of the account whose address is verified or changed.
  public var idToken: Secret?
  /// The account's new address, for `.verifyAndChangeEmail`.
  public var newEmail: String?
  /// The page that the link leads to in the end.
  public var continueUrl: String?
  /// The iOS app that opens the link.
  public var iOSBundleId: String?
  /// The Android app that opens the link.
  public var androidPackageName: String?
  /// The oldest version of the Android app that can open the link.
  public var androidMinimumVersion: String?
  /// Whether to install the Android app if it is missing.
  public var androidInstallApp: Bool?
  /// Whether an app handles the code, instead of a web page of the project.
  public var canHandleCodeInApp: Bool?
  /// The domain of the link.
  public var linkDomain: String?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// The language of the message, as a BCP 47 tag. Not sent in the body; see `LocalizedCall`.
  public var locale: String?

  private enum CodingKeys: String, CodingKey {
    case requestType, email, idToken, newEmail, continueUrl, iOSBundleId, androidPackageName, androidMinimumVersion
    case androidInstallApp, canHandleCodeInApp, linkDomain, tenantId
  }

  /// Makes a request for a message; set the members that this kind of message needs.
  public init(_ requestType: ActionCodeType) { self.requestType = requestType }

  /// The response: the message was accepted for delivery.
  public struct Response: Codable, Sendable, Hashable {
    /// The recipient.
    public var email: String?

    /// Makes a response with the recipient.
    public init(email: String?) { self.email = email }
  }
}

/// The purpose of a message's code, as named by the protocol. Unknown names are kept.
public struct ActionCodeType: RawRepresentable, Codable, Sendable, Hashable {
  /// The protocol's name.
  public let rawValue: String
  /// Makes the type with a name, which need not have a constant here.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sets a new password.
  public static let passwordReset = Self(rawValue: "PASSWORD_RESET")
  /// Verifies the account's address.
  public static let verifyEmail = Self(rawValue: "VERIFY_EMAIL")
  /// Signs in.
  public static let emailSignIn = Self(rawValue: "EMAIL_SIGNIN")
  /// Verifies a new address, and makes it the account's address.
  public static let verifyAndChangeEmail = Self(rawValue: "VERIFY_AND_CHANGE_EMAIL")
  /// Restores the account's former address.
  public static let recoverEmail = Self(rawValue: "RECOVER_EMAIL")
  /// Removes a second factor that was added.
  public static let revertSecondFactorAddition = Self(rawValue: "REVERT_SECOND_FACTOR_ADDITION")
}
