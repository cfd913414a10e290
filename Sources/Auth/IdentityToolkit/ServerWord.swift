package import GatehouseBase

/// A word of the protocol for the reason of a refusal: `EMAIL_EXISTS`. Calls are refused with these words, which are
/// sent as they are. `meaning` is what Gatehouse's own errors say instead.
///
/// Source: https://cloud.google.com/identity-platform/docs/error-codes
package enum ServerWord: String, Sendable, CaseIterable {
  case emailExists = "EMAIL_EXISTS"
  case emailNotFound = "EMAIL_NOT_FOUND"
  case userNotFound = "USER_NOT_FOUND"
  case userDisabled = "USER_DISABLED"
  case invalidPassword = "INVALID_PASSWORD"
  case invalidLoginCredentials = "INVALID_LOGIN_CREDENTIALS"
  case invalidEmail = "INVALID_EMAIL"
  case invalidIdentifier = "INVALID_IDENTIFIER"
  case missingEmail = "MISSING_EMAIL"
  case missingPassword = "MISSING_PASSWORD"
  case weakPassword = "WEAK_PASSWORD"
  case passwordDoesNotMeetRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
  case tooManyAttemptsTryLater = "TOO_MANY_ATTEMPTS_TRY_LATER"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case operationNotAllowed = "OPERATION_NOT_ALLOWED"
  case passwordLoginDisabled = "PASSWORD_LOGIN_DISABLED"
  case insufficientPermission = "INSUFFICIENT_PERMISSION"
  case unexpectedParameter = "UNEXPECTED_PARAMETER"
  case phoneNumberExists = "PHONE_NUMBER_EXISTS"
  case duplicateLocalID = "DUPLICATE_LOCAL_ID"
  case duplicateEmail = "DUPLICATE_EMAIL"
  case duplicateRawID = "DUPLICATE_RAW_ID"
  case missingUserAccount = "MISSING_USER_ACCOUNT"
  case missingHashAlgorithm = "MISSING_HASH_ALGORITHM"
  case invalidHashAlgorithm = "INVALID_HASH_ALGORITHM"
  case invalidHashRounds = "INVALID_HASH_ROUNDS"
  case missingNewEmail = "MISSING_NEW_EMAIL"
  case adminOnlyOperation = "ADMIN_ONLY_OPERATION"
  case invalidIDToken = "INVALID_ID_TOKEN"
  case tokenExpired = "TOKEN_EXPIRED"
  case invalidRefreshToken = "INVALID_REFRESH_TOKEN"
  case missingRefreshToken = "MISSING_REFRESH_TOKEN"
  case invalidGrantType = "INVALID_GRANT_TYPE"
  case missingGrantType = "MISSING_GRANT_TYPE"
  case projectNumberMismatch = "PROJECT_NUMBER_MISMATCH"
  case credentialTooOldLoginAgain = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
  case credentialMismatch = "CREDENTIAL_MISMATCH"
  case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
  case providerAlreadyLinked = "PROVIDER_ALREADY_LINKED"
  case federatedUserIDAlreadyLinked = "FEDERATED_USER_ID_ALREADY_LINKED"
  case invalidIDPResponse = "INVALID_IDP_RESPONSE"
  case invalidPendingToken = "INVALID_PENDING_TOKEN"
  case invalidProviderID = "INVALID_PROVIDER_ID"
  case expiredOOBCode = "EXPIRED_OOB_CODE"
  case invalidOOBCode = "INVALID_OOB_CODE"
  case missingOOBCode = "MISSING_OOB_CODE"
  case invalidReqType = "INVALID_REQ_TYPE"
  case missingReqType = "MISSING_REQ_TYPE"
  case missingCustomToken = "MISSING_CUSTOM_TOKEN"
  case resetPasswordExceedLimit = "RESET_PASSWORD_EXCEED_LIMIT"
  case invalidMessagePayload = "INVALID_MESSAGE_PAYLOAD"
  case invalidSender = "INVALID_SENDER"
  case invalidRecipientEmail = "INVALID_RECIPIENT_EMAIL"
  case missingIOSBundleID = "MISSING_IOS_BUNDLE_ID"
  case missingAndroidPackageName = "MISSING_ANDROID_PACKAGE_NAME"
  case unauthorizedDomain = "UNAUTHORIZED_DOMAIN"
  case invalidContinueURI = "INVALID_CONTINUE_URI"
  case missingContinueURI = "MISSING_CONTINUE_URI"
  case invalidPhoneNumber = "INVALID_PHONE_NUMBER"
  case missingPhoneNumber = "MISSING_PHONE_NUMBER"
  case invalidCode = "INVALID_CODE"
  case missingCode = "MISSING_CODE"
  case invalidSessionInfo = "INVALID_SESSION_INFO"
  case missingSessionInfo = "MISSING_SESSION_INFO"
  case sessionExpired = "SESSION_EXPIRED"
  case captchaCheckFailed = "CAPTCHA_CHECK_FAILED"
  case tenantIDMismatch = "TENANT_ID_MISMATCH"
  case invalidTenantID = "INVALID_TENANT_ID"
  case tenantNotFound = "TENANT_NOT_FOUND"
  case unsupportedTenantOperation = "UNSUPPORTED_TENANT_OPERATION"
  case emailChangeNeedsVerification = "EMAIL_CHANGE_NEEDS_VERIFICATION"
  case unverifiedEmail = "UNVERIFIED_EMAIL"
  case secondFactorExists = "SECOND_FACTOR_EXISTS"
  case secondFactorLimitExceeded = "SECOND_FACTOR_LIMIT_EXCEEDED"
  case unsupportedFirstFactor = "UNSUPPORTED_FIRST_FACTOR"
  case invalidMFAPendingCredential = "INVALID_MFA_PENDING_CREDENTIAL"
  case missingMFAPendingCredential = "MISSING_MFA_PENDING_CREDENTIAL"
  case mfaEnrollmentNotFound = "MFA_ENROLLMENT_NOT_FOUND"
  case missingMFAEnrollmentID = "MISSING_MFA_ENROLLMENT_ID"
  /// Gatehouse's own: a code that removes a second factor is no longer sufficient alone.
  case secondFactorRemovalDelayed = "SECOND_FACTOR_REMOVAL_DELAYED"
  case missingClientIdentifier = "MISSING_CLIENT_IDENTIFIER"
  case missingOrInvalidNonce = "MISSING_OR_INVALID_NONCE"
  case blockingFunctionErrorResponse = "BLOCKING_FUNCTION_ERROR_RESPONSE"
  case invalidHostingLinkDomain = "INVALID_HOSTING_LINK_DOMAIN"
  case invalidDynamicLinkDomain = "INVALID_DYNAMIC_LINK_DOMAIN"

  // The codes of administrators' calls.
  case invalidDuration = "INVALID_DURATION"
  case forbiddenClaim = "FORBIDDEN_CLAIM"
  case invalidClaims = "INVALID_CLAIMS"
  case claimsTooLarge = "CLAIMS_TOO_LARGE"
  case missingRequestURI = "MISSING_REQUEST_URI"
  case missingLocalID = "MISSING_LOCAL_ID"
  case invalidLocalID = "INVALID_LOCAL_ID"
  case invalidDisplayName = "INVALID_DISPLAY_NAME"
  case missingDisplayName = "MISSING_DISPLAY_NAME"
  case invalidNewEmail = "INVALID_NEW_EMAIL"
  case notDisabled = "NOT_DISABLED"
  case invalidPageSelection = "INVALID_PAGE_SELECTION"
  case duplicateMFAEnrollmentID = "DUPLICATE_MFA_ENROLLMENT_ID"
  case unsupportedSecondFactor = "UNSUPPORTED_SECOND_FACTOR"
  case configurationExists = "CONFIGURATION_EXISTS"
  case configurationNotFound = "CONFIGURATION_NOT_FOUND"
  case invalidConfig = "INVALID_CONFIG"
  case missingConfig = "MISSING_CONFIG"
  case invalidConfigID = "INVALID_CONFIG_ID"
  case missingConfigID = "MISSING_CONFIG_ID"
  case missingProviderID = "MISSING_PROVIDER_ID"
  case missingOAuthClientID = "MISSING_OAUTH_CLIENT_ID"
  case invalidOAuthClientID = "INVALID_OAUTH_CLIENT_ID"
  case missingOAuthClientSecret = "MISSING_OAUTH_CLIENT_SECRET"
  case missingIssuer = "MISSING_ISSUER"
  case missingSAMLRelyingPartyConfig = "MISSING_SAML_RELYING_PARTY_CONFIG"
  case invalidTenantType = "INVALID_TENANT_TYPE"
  case duplicateTenantID = "DUPLICATE_TENANT_ID"
  case invalidName = "INVALID_NAME"
  case invalidTestingPhoneNumber = "INVALID_TESTING_PHONE_NUMBER"
  case invalidProjectID = "INVALID_PROJECT_ID"
  case projectNotFound = "PROJECT_NOT_FOUND"
  case invalidServiceAccount = "INVALID_SERVICE_ACCOUNT"
  case billingNotEnabled = "BILLING_NOT_ENABLED"

  // Google's status names, for answers without one of the protocol's error codes.
  case invalidArgument = "INVALID_ARGUMENT"
  case failedPrecondition = "FAILED_PRECONDITION"
  case permissionDenied = "PERMISSION_DENIED"

  /// The detail of `invalidEmail` for a link that was sent to another address. It says all by itself: the address that
  /// was given is one.
  package static let otherRecipient = "the link was sent to another address"

  /// Gatehouse's code, and advice for people.
  package var meaning: (code: AuthError.Code, advice: String) {
    switch self {
    case .emailExists: (.emailAlreadyInUse, "another account has this address; sign in instead")
    case .emailNotFound: (.userNotFound, "no account has this address")
    case .userNotFound: (.userNotFound, "the account does not exist any more; sign in again")
    case .userDisabled: (.userDisabled, "an administrator disabled this account")
    case .invalidPassword: (.wrongPassword, "the password is wrong")
    case .invalidLoginCredentials: (.invalidCredential, "the address or the password is wrong")
    case .invalidEmail: (.invalidEmail, "this is not an e-mail address")
    case .invalidIdentifier: (.invalidEmail, "this is not an e-mail address")
    case .missingEmail: (.missingEmail, "an e-mail address is needed")
    case .missingPassword: (.weakPassword, "a password is needed")
    case .weakPassword: (.weakPassword, "the password is too weak")
    case .passwordDoesNotMeetRequirements:
      (.passwordDoesNotMeetRequirements, "the password does not meet the project's rules")
    case .tooManyAttemptsTryLater: (.tooManyRequests, "too many attempts; wait before the next one")
    case .quotaExceeded: (.quotaExceeded, "the project's quota is used up; wait and try again")
    case .operationNotAllowed: (.operationNotAllowed, "this operation is switched off")
    case .passwordLoginDisabled: (.operationNotAllowed, "sign-in by password is switched off")
    case .insufficientPermission: (.adminRestrictedOperation, "this wants an administrator's credential")
    case .unexpectedParameter: (.adminRestrictedOperation, "only an administrator may send this member")
    case .phoneNumberExists: (.credentialAlreadyInUse, "another account has this phone number")
    case .duplicateLocalID: (.invalidArgument, "another account has this identifier")
    case .duplicateEmail: (.invalidArgument, "two of the accounts have the same address")
    case .duplicateRawID: (.invalidArgument, "two of the accounts have the same user of an identity provider")
    case .missingUserAccount: (.invalidArgument, "there is no account to import")
    case .missingHashAlgorithm: (.invalidArgument, "say how the passwords are hashed")
    case .invalidHashAlgorithm: (.invalidArgument, "name a hash algorithm that the protocol knows")
    case .invalidHashRounds: (.invalidArgument, "the rounds of the hashes are out of their limits")
    case .missingNewEmail: (.missingEmail, "the new e-mail address is needed")
    case .adminOnlyOperation: (.adminRestrictedOperation, "only an administrator may do this")
    case .invalidIDToken: (.invalidUserToken, "the session's token is not accepted; sign in again")
    case .tokenExpired: (.userTokenExpired, "the session was revoked or has expired; sign in again")
    case .invalidRefreshToken: (.invalidUserToken, "the refresh token is not accepted; sign in again")
    case .missingRefreshToken: (.invalidUserToken, "a refresh token is needed; sign in again")
    case .invalidGrantType: (.internalError, "the grant type is not known")
    case .missingGrantType: (.internalError, "a grant type is needed")
    case .projectNumberMismatch: (.invalidUserToken, "the refresh token belongs to another project; sign in again")
    case .credentialTooOldLoginAgain: (.requiresRecentLogin, "this wants a recent sign-in; sign in again")
    case .credentialMismatch: (.customTokenMismatch, "the custom token belongs to another project")
    case .invalidCustomToken: (.invalidCustomToken, "the custom token is not accepted")
    case .providerAlreadyLinked: (.providerAlreadyLinked, "the account signs in with this provider already")
    case .federatedUserIDAlreadyLinked: (.credentialAlreadyInUse, "the credential is linked to another account")
    case .invalidIDPResponse: (.invalidCredential, "the identity provider's answer is not accepted")
    case .invalidPendingToken: (.invalidCredential, "the pending credential is not accepted")
    case .invalidProviderID: (.invalidProviderID, "there is no such identity provider")
    case .expiredOOBCode: (.expiredActionCode, "the code has expired; ask for a new one")
    case .invalidOOBCode: (.invalidActionCode, "the code is wrong, used or unknown; ask for a new one")
    case .missingOOBCode: (.invalidActionCode, "a code is needed")
    case .invalidReqType: (.invalidReqType, "the kind of message is not known")
    case .missingReqType: (.invalidReqType, "a kind of message is needed")
    case .missingCustomToken: (.invalidCustomToken, "a custom token is needed")
    case .resetPasswordExceedLimit: (.tooManyRequests, "too many messages were asked for; wait before the next one")
    case .invalidMessagePayload: (.invalidMessagePayload, "the message template is malformed")
    case .invalidSender: (.invalidSender, "the sender of the message is not valid")
    case .invalidRecipientEmail: (.invalidRecipientEmail, "the recipient's address is not valid")
    case .missingIOSBundleID: (.missingIosBundleID, "a bundle identifier is needed")
    case .missingAndroidPackageName: (.missingAndroidPackageName, "a package name is needed")
    case .unauthorizedDomain: (.unauthorizedDomain, "the continue URL's domain is not allowed")
    case .invalidContinueURI: (.invalidContinueURI, "the continue URL is not valid")
    case .missingContinueURI: (.missingContinueURI, "a continue URL is needed")
    case .invalidPhoneNumber: (.invalidPhoneNumber, "this is not a phone number")
    case .missingPhoneNumber: (.missingPhoneNumber, "a phone number is needed")
    case .invalidCode: (.invalidVerificationCode, "the verification code is wrong")
    case .missingCode: (.missingVerificationCode, "a verification code is needed")
    case .invalidSessionInfo: (.invalidVerificationID, "the verification identifier is wrong")
    case .missingSessionInfo: (.missingVerificationID, "a verification identifier is needed")
    case .sessionExpired: (.sessionExpired, "the verification code has expired; ask for a new one")
    case .captchaCheckFailed: (.captchaCheckFailed, "the captcha was refused")
    case .tenantIDMismatch: (.tenantIDMismatch, "the user belongs to another tenant")
    case .invalidTenantID: (.invalidArgument, "the project has no such tenant")
    case .tenantNotFound: (.invalidArgument, "the project has no such tenant")
    case .unsupportedTenantOperation: (.unsupportedTenantOperation, "tenants do not support this")
    case .emailChangeNeedsVerification: (.emailChangeNeedsVerification, "the new address must be verified first")
    case .unverifiedEmail: (.unverifiedEmail, "the address must be verified first")
    case .secondFactorExists: (.secondFactorAlreadyEnrolled, "the second factor is enrolled already")
    case .secondFactorLimitExceeded: (.maximumSecondFactorCountExceeded, "there are too many second factors")
    case .unsupportedFirstFactor: (.unsupportedFirstFactor, "this first factor does not go with a second one")
    case .invalidMFAPendingCredential: (.invalidMultiFactorSession, "the multi-factor session is not valid")
    case .missingMFAPendingCredential: (.missingMultiFactorSession, "a multi-factor session is needed")
    case .mfaEnrollmentNotFound: (.multiFactorInfoNotFound, "there is no such second factor")
    case .missingMFAEnrollmentID: (.missingMultiFactorInfo, "a second factor must be named")
    case .secondFactorRemovalDelayed:
      (.operationNotAllowed, "the code alone no longer removes the second factor at once")
    case .missingClientIdentifier: (.missingClientIdentifier, "a client identifier is needed")
    case .missingOrInvalidNonce: (.missingOrInvalidNonce, "the nonce is missing or wrong")
    case .blockingFunctionErrorResponse: (.blockingCloudFunctionError, "the project's own hook refused")
    case .invalidHostingLinkDomain: (.invalidHostingLinkDomain, "the link domain is not the project's")
    case .invalidDynamicLinkDomain: (.invalidHostingLinkDomain, "the link domain is not the project's")
    case .invalidDuration: (.invalidArgument, "a session cookie lives from 5 minutes to 14 days")
    case .forbiddenClaim: (.invalidArgument, "one of the claims is the provider's own; choose another name")
    case .invalidClaims: (.invalidArgument, "the claims are not a JSON object")
    case .claimsTooLarge: (.invalidArgument, "the claims are longer than 1000 bytes as JSON")
    case .missingRequestURI: (.invalidArgument, "the URL of the page that the identity came to is needed")
    case .missingLocalID: (.invalidArgument, "the user's identifier is needed")
    case .invalidLocalID: (.invalidArgument, "a user's identifier has 1 to 128 bytes")
    case .invalidDisplayName: (.invalidArgument, "the name to show is empty, too long or not allowed")
    case .missingDisplayName: (.invalidArgument, "a name to show is needed")
    case .invalidNewEmail: (.invalidEmail, "the new address is not an e-mail address")
    case .notDisabled: (.invalidArgument, "disable the account first, or delete with force")
    case .invalidPageSelection: (.invalidArgument, "the page token is not the one of the page before")
    case .duplicateMFAEnrollmentID: (.secondFactorAlreadyEnrolled, "two second factors have the same identifier")
    case .unsupportedSecondFactor: (.invalidArgument, "the project does not support this kind of second factor")
    case .configurationExists: (.invalidArgument, "there is such a provider already")
    case .configurationNotFound: (.invalidArgument, "there is no such provider")
    case .invalidConfig: (.invalidArgument, "the configuration is not valid")
    case .missingConfig: (.invalidArgument, "a configuration is needed")
    case .invalidConfigID:
      (.invalidArgument, "a provider's identifier begins with oidc. or saml. and has a name behind it")
    case .missingConfigID: (.invalidArgument, "a provider's identifier is needed")
    case .missingProviderID: (.invalidProviderID, "an identity provider must be named")
    case .missingOAuthClientID: (.invalidArgument, "the provider's client identifier is needed")
    case .invalidOAuthClientID: (.invalidArgument, "the provider's client identifier is not valid")
    case .missingOAuthClientSecret: (.invalidArgument, "the provider's client secret is needed")
    case .missingIssuer: (.invalidArgument, "the provider's issuer is needed")
    case .missingSAMLRelyingPartyConfig: (.invalidArgument, "spConfig needs spEntityId")
    case .invalidTenantType: (.invalidArgument, "this kind of tenant is not supported")
    case .duplicateTenantID: (.invalidArgument, "there is such a tenant already")
    case .invalidName: (.invalidArgument, "the resource's name is not valid")
    case .invalidTestingPhoneNumber: (.invalidPhoneNumber, "a test phone number or its code is not valid")
    case .invalidProjectID: (.invalidArgument, "the project's identifier is not valid")
    case .projectNotFound: (.invalidArgument, "the server does not have this project; check the project's identifier")
    case .invalidServiceAccount: (.invalidCredential, "the service account is not accepted; take one of this project")
    case .billingNotEnabled: (.operationNotAllowed, "the project's plan does not have this; enable billing")
    case .invalidArgument: (.invalidArgument, "the call is not valid")
    case .failedPrecondition: (.operationNotAllowed, "the project is not in the state that this call needs")
    case .permissionDenied: (.adminRestrictedOperation, "the credential may not do this; give its account the role")
    }
  }
}
