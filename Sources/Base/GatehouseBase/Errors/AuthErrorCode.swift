extension AuthError {
  /// The kind of an error. An open set: later versions and other modules add codes.
  ///
  /// Numbers from 17000 to 18999 are Firebase's and have the same meaning as there; Gatehouse's own begin at 19000.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: Int

    /// Creates a code from a number, which need not have a name here; `nil` for numbers below 17000, which are those of
    /// other domains.
    public init?(rawValue: Int) {
      guard rawValue >= 17_000 else { return nil }
      self.init(number: rawValue)
    }

    package init(number: Int) { rawValue = number }
  }
}

// MARK: Firebase's numbers

extension AuthError.Code {
  /// The custom token is malformed, expired or not signed by this project.
  public static let invalidCustomToken = Self(number: 17000)
  /// The custom token belongs to another project.
  public static let customTokenMismatch = Self(number: 17002)
  /// The credential is wrong, malformed or expired; with enumeration protection also an unknown user.
  public static let invalidCredential = Self(number: 17004)
  /// An administrator disabled the account.
  public static let userDisabled = Self(number: 17005)
  /// This sign-in method or this operation is disabled.
  public static let operationNotAllowed = Self(number: 17006)
  /// Another account has this address.
  public static let emailAlreadyInUse = Self(number: 17007)
  /// The text is not an email address.
  public static let invalidEmail = Self(number: 17008)
  /// The password is wrong, or the account has none.
  public static let wrongPassword = Self(number: 17009)
  /// There were too many attempts; `retryAfter` is the time to wait, if known.
  public static let tooManyRequests = Self(number: 17010)
  /// No account has this identifier.
  public static let userNotFound = Self(number: 17011)
  /// The address belongs to an account that uses another sign-in method.
  public static let accountExistsWithDifferentCredential = Self(number: 17012)
  /// The operation requires a sign-in within the last minutes: sign in again.
  public static let requiresRecentLogin = Self(number: 17014)
  /// The account already has a credential of this provider.
  public static let providerAlreadyLinked = Self(number: 17015)
  /// The account has no credential of this provider.
  public static let noSuchProvider = Self(number: 17016)
  /// The session's token is no longer accepted: sign in again.
  public static let invalidUserToken = Self(number: 17017)
  /// The server could not be reached.
  public static let networkError = Self(number: 17020)
  /// The session has expired or was revoked: sign in again.
  public static let userTokenExpired = Self(number: 17021)
  /// The API key is wrong.
  public static let invalidAPIKey = Self(number: 17023)
  /// The credential belongs to another user.
  public static let userMismatch = Self(number: 17024)
  /// The credential is linked to another account.
  public static let credentialAlreadyInUse = Self(number: 17025)
  /// The password does not meet the rules.
  public static let weakPassword = Self(number: 17026)
  /// This app may not use the API key.
  public static let appNotAuthorized = Self(number: 17028)
  /// The code has expired.
  public static let expiredActionCode = Self(number: 17029)
  /// The code is malformed, used or unknown.
  public static let invalidActionCode = Self(number: 17030)
  /// The message template is malformed.
  public static let invalidMessagePayload = Self(number: 17031)
  /// The sender of the message is not valid.
  public static let invalidSender = Self(number: 17032)
  /// The recipient's address is not valid.
  public static let invalidRecipientEmail = Self(number: 17033)
  /// An email address is required.
  public static let missingEmail = Self(number: 17034)
  /// A bundle identifier is required.
  public static let missingIosBundleID = Self(number: 17036)
  /// A package name is required.
  public static let missingAndroidPackageName = Self(number: 17037)
  /// The continue URL's domain is not on the project's list.
  public static let unauthorizedDomain = Self(number: 17038)
  /// The continue URL is not valid.
  public static let invalidContinueURI = Self(number: 17039)
  /// A continue URL is required.
  public static let missingContinueURI = Self(number: 17040)
  /// A phone number is required.
  public static let missingPhoneNumber = Self(number: 17041)
  /// The text is not a phone number.
  public static let invalidPhoneNumber = Self(number: 17042)
  /// A verification code is required.
  public static let missingVerificationCode = Self(number: 17043)
  /// The verification code is wrong.
  public static let invalidVerificationCode = Self(number: 17044)
  /// A verification identifier is required.
  public static let missingVerificationID = Self(number: 17045)
  /// The verification identifier is wrong.
  public static let invalidVerificationID = Self(number: 17046)
  /// The verification code has expired.
  public static let sessionExpired = Self(number: 17051)
  /// The project's quota is used up.
  public static let quotaExceeded = Self(number: 17052)
  /// The captcha was rejected.
  public static let captchaCheckFailed = Self(number: 17056)
  /// The client identifier is not valid.
  public static let invalidClientID = Self(number: 17060)
  /// A user is required, but none is signed in.
  public static let nullUser = Self(number: 17067)
  /// The identity provider does not exist.
  public static let invalidProviderID = Self(number: 17071)
  /// The user belongs to another tenant.
  public static let tenantIDMismatch = Self(number: 17072)
  /// Tenants do not support this operation.
  public static let unsupportedTenantOperation = Self(number: 17073)
  /// The credential was rejected.
  public static let rejectedCredential = Self(number: 17075)
  /// The account requires a second factor.
  public static let secondFactorRequired = Self(number: 17078)
  /// A multi-factor session is required.
  public static let missingMultiFactorSession = Self(number: 17081)
  /// A second factor must be named.
  public static let missingMultiFactorInfo = Self(number: 17082)
  /// The multi-factor session is not valid.
  public static let invalidMultiFactorSession = Self(number: 17083)
  /// The account has no such second factor.
  public static let multiFactorInfoNotFound = Self(number: 17084)
  /// Only administrators may do this.
  public static let adminRestrictedOperation = Self(number: 17085)
  /// The address must be verified first.
  public static let unverifiedEmail = Self(number: 17086)
  /// The second factor is already enrolled.
  public static let secondFactorAlreadyEnrolled = Self(number: 17087)
  /// The account has the maximum number of second factors.
  public static let maximumSecondFactorCountExceeded = Self(number: 17088)
  /// This first factor cannot be combined with a second one.
  public static let unsupportedFirstFactor = Self(number: 17089)
  /// A new address must be verified before it is used.
  public static let emailChangeNeedsVerification = Self(number: 17090)
  /// A client identifier is required.
  public static let missingClientIdentifier = Self(number: 17093)
  /// The nonce is missing or wrong.
  public static let missingOrInvalidNonce = Self(number: 17094)
  /// The project's blocking function rejected the operation.
  public static let blockingCloudFunctionError = Self(number: 17105)
  /// A captcha token is required.
  public static let missingRecaptchaToken = Self(number: 17201)
  /// The captcha token is not valid.
  public static let invalidRecaptchaToken = Self(number: 17202)
  /// The captcha action is not valid.
  public static let invalidRecaptchaAction = Self(number: 17203)
  /// A client type is required.
  public static let missingClientType = Self(number: 17204)
  /// A captcha version is required.
  public static let missingRecaptchaVersion = Self(number: 17205)
  /// The captcha version is not valid.
  public static let invalidRecaptchaVersion = Self(number: 17206)
  /// The request's type is not valid.
  public static let invalidReqType = Self(number: 17207)
  /// The password does not meet the project's policy.
  public static let passwordDoesNotMeetRequirements = Self(number: 17211)
  /// The link domain is not the project's.
  public static let invalidHostingLinkDomain = Self(number: 17214)
  /// Firebase's code for a storage error; the same as `storeFailed`.
  public static let keychainError = Self(number: 17995)
  /// The server's response was not understood, or Gatehouse has a bug.
  public static let internalError = Self(number: 17999)
  /// The token cannot be read.
  public static let malformedJWT = Self(number: 18000)
}

// MARK: Gatehouse's own

extension AuthError.Code {
  /// `Auth.auth()` was used before `Auth.configure(_:)` was called.
  public static let notConfigured = Self(number: 19001)
  /// `Auth.configure(_:)` was called a second time.
  public static let alreadyConfigured = Self(number: 19002)
  /// The `Auth` was closed.
  public static let closed = Self(number: 19003)
  /// The waiting task was cancelled.
  public static let cancelled = Self(number: 19004)
  /// No response arrived within the call's timeout.
  public static let deadlineExceeded = Self(number: 19005)
  /// A later sign-in or a sign-out ended this call.
  public static let superseded = Self(number: 19006)
  /// Another program has signed out the user of this call, or another user is signed in.
  public static let sessionEnded = Self(number: 19007)
  /// The call would wait for itself: a deadlock.
  public static let wouldDeadlock = Self(number: 19008)
  /// An argument is invalid; the message names it.
  public static let invalidArgument = Self(number: 19009)
  /// An empty password was given to the command. For an empty password, providers return `weakPassword`, as Firebase
  /// does.
  package static let missingPassword = Self(number: 19010)
  /// The stored session exists but cannot be read. Nothing was deleted.
  public static let storeUnreadable = Self(number: 19020)
  /// The stored session is not what was written. Nothing was deleted.
  public static let storeDamaged = Self(number: 19021)
  /// The stored data was written by a later version.
  public static let storeTooNew = Self(number: 19022)
  /// The folder or file belongs to another user, is a link, or has unsafe permissions: others can write to the folder
  /// or read the file.
  public static let storeUnsafe = Self(number: 19023)
  /// Another `Auth` holds the store's lock. Tokens that the provider rotates are not refreshed without it.
  public static let storeInUse = Self(number: 19024)
  /// The session could not be written or erased. Has Firebase's number for this error.
  public static let storeFailed = keychainError
}

// MARK: Names

extension AuthError.Code: CustomStringConvertible {
  /// The code's name, or its number if the code has no name here.
  public var description: String { Self.names[rawValue] ?? "\(rawValue)" }

  /// The names of all Gatehouse error codes by number, including those that other modules declare.
  package static let names: [Int: String] = [
    17000: "invalidCustomToken",
    17002: "customTokenMismatch",
    17004: "invalidCredential",
    17005: "userDisabled",
    17006: "operationNotAllowed",
    17007: "emailAlreadyInUse",
    17008: "invalidEmail",
    17009: "wrongPassword",
    17010: "tooManyRequests",
    17011: "userNotFound",
    17012: "accountExistsWithDifferentCredential",
    17014: "requiresRecentLogin",
    17015: "providerAlreadyLinked",
    17016: "noSuchProvider",
    17017: "invalidUserToken",
    17020: "networkError",
    17021: "userTokenExpired",
    17023: "invalidAPIKey",
    17024: "userMismatch",
    17025: "credentialAlreadyInUse",
    17026: "weakPassword",
    17028: "appNotAuthorized",
    17029: "expiredActionCode",
    17030: "invalidActionCode",
    17031: "invalidMessagePayload",
    17032: "invalidSender",
    17033: "invalidRecipientEmail",
    17034: "missingEmail",
    17036: "missingIosBundleID",
    17037: "missingAndroidPackageName",
    17038: "unauthorizedDomain",
    17039: "invalidContinueURI",
    17040: "missingContinueURI",
    17041: "missingPhoneNumber",
    17042: "invalidPhoneNumber",
    17043: "missingVerificationCode",
    17044: "invalidVerificationCode",
    17045: "missingVerificationID",
    17046: "invalidVerificationID",
    17051: "sessionExpired",
    17052: "quotaExceeded",
    17056: "captchaCheckFailed",
    17060: "invalidClientID",
    17067: "nullUser",
    17071: "invalidProviderID",
    17072: "tenantIDMismatch",
    17073: "unsupportedTenantOperation",
    17075: "rejectedCredential",
    17078: "secondFactorRequired",
    17081: "missingMultiFactorSession",
    17082: "missingMultiFactorInfo",
    17083: "invalidMultiFactorSession",
    17084: "multiFactorInfoNotFound",
    17085: "adminRestrictedOperation",
    17086: "unverifiedEmail",
    17087: "secondFactorAlreadyEnrolled",
    17088: "maximumSecondFactorCountExceeded",
    17089: "unsupportedFirstFactor",
    17090: "emailChangeNeedsVerification",
    17093: "missingClientIdentifier",
    17094: "missingOrInvalidNonce",
    17105: "blockingCloudFunctionError",
    17201: "missingRecaptchaToken",
    17202: "invalidRecaptchaToken",
    17203: "invalidRecaptchaAction",
    17204: "missingClientType",
    17205: "missingRecaptchaVersion",
    17206: "invalidRecaptchaVersion",
    17207: "invalidReqType",
    17211: "passwordDoesNotMeetRequirements",
    17214: "invalidHostingLinkDomain",
    17995: "storeFailed",
    17999: "internalError",
    18000: "malformedJWT",
    19001: "notConfigured",
    19002: "alreadyConfigured",
    19003: "closed",
    19004: "cancelled",
    19005: "deadlineExceeded",
    19006: "superseded",
    19007: "sessionEnded",
    19008: "wouldDeadlock",
    19009: "invalidArgument",
    19010: "missingPassword",
    19020: "storeUnreadable",
    19021: "storeDamaged",
    19022: "storeTooNew",
    19023: "storeUnsafe",
    19024: "storeInUse",
    19040: "responseTooLarge",
    19041: "redirectRefused",
    19042: "insecureConnection",
    19043: "responseInvalid",
    19100: "tokenMalformed",
    19101: "tokenTooLarge",
    19102: "algorithmRefused",
    19103: "unknownKey",
    19104: "signatureInvalid",
    19105: "tokenExpired",
    19106: "tokenNotYetValid",
    19107: "issuerMismatch",
    19108: "audienceMismatch",
    19109: "claimInvalid",
    19110: "typeMismatch",
    19111: "criticalHeader",
    19112: "headerInvalid",
    19113: "keySetInvalid",
    19114: "keysUnavailable",
    19115: "tokenReplayed",
    19116: "proofMismatch",
    19117: "tokenRevoked",
    19118: "replayStoreFull",
    19119: "replayShareFull",
    19120: "compressionRefused",
    19121: "proofNonceRequired",
    19122: "proofRequired",
    19140: "keyInvalid",
    19141: "keyUnsupported",
    19142: "cryptoFailed",
    19143: "certificateInvalid",
    19144: "certificateUntrusted",
    19145: "decryptionFailed",
    19180: "jsonMalformed",
    19181: "jsonDuplicateMember",
    19182: "jsonTooLarge",
    19183: "base64Malformed",
    19200: "providerUnavailable",
    19201: "providerDamaged",
    19202: "providerTooNew",
    19203: "providerUnsafe",
    19204: "providerExists",
    19205: "backupInvalid",
    19206: "providerTooOld",
    19220: "accountUnknown",
    19221: "accountExists",
  ]
}
