public import GatehouseBase

extension AuthError {
  /// The error for a server's message: `CODE` or `CODE : text`.
  ///
  /// An unknown code becomes `.internalError`. `serverCode` keeps the code as the server sent it.
  ///
  /// - Parameters:
  ///   - message: the `error.message` of the server's answer.
  ///   - email: the address that the call was about, if there is one.
  ///   - retryAfter: the time that the server asks to wait, if it does.
  public convenience init(server message: String, email: String? = nil, retryAfter: Duration? = nil) {
    let parts = message.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(while: \.isWhitespace) }
    let word = String((parts.first ?? "").prefix { !$0.isWhitespace })
    let detail = parts.count > 1 ? String(parts[1]) : ""
    let row = Self.serverWords[word]
    let text = row.map { detail.isEmpty ? $0.advice : "\($0.advice): \(detail)" } ?? "the server answered \(message)"
    self.init(row?.code ?? .internalError, text, email: email, retryAfter: retryAfter, serverCode: word)
  }

  /// The error codes of the protocol's servers, with Gatehouse's codes and advice for people.
  ///
  /// Source: https://cloud.google.com/identity-platform/docs/error-codes
  package static let serverWords: [String: (code: Code, advice: String)] = [
    "EMAIL_EXISTS": (.emailAlreadyInUse, "another account has this address; sign in instead"),
    "EMAIL_NOT_FOUND": (.userNotFound, "no account has this address"),
    "USER_NOT_FOUND": (.userNotFound, "the account does not exist any more; sign in again"),
    "USER_DISABLED": (.userDisabled, "an administrator disabled this account"),
    "INVALID_PASSWORD": (.wrongPassword, "the password is wrong"),
    "INVALID_LOGIN_CREDENTIALS": (.invalidCredential, "the address or the password is wrong"),
    "INVALID_EMAIL": (.invalidEmail, "this is not an e-mail address"),
    "INVALID_IDENTIFIER": (.invalidEmail, "this is not an e-mail address"),
    "MISSING_EMAIL": (.missingEmail, "an e-mail address is needed"),
    "MISSING_PASSWORD": (.weakPassword, "a password is needed"),
    "WEAK_PASSWORD": (.weakPassword, "the password is too weak"),
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": (
      .passwordDoesNotMeetRequirements, "the password does not meet the project's rules"
    ),
    "TOO_MANY_ATTEMPTS_TRY_LATER": (.tooManyRequests, "too many attempts; wait before the next one"),
    "QUOTA_EXCEEDED": (.quotaExceeded, "the project's quota is used up; wait and try again"),
    "OPERATION_NOT_ALLOWED": (.operationNotAllowed, "this operation is switched off"),
    "PASSWORD_LOGIN_DISABLED": (.operationNotAllowed, "sign-in by password is switched off"),
    "INSUFFICIENT_PERMISSION": (.adminRestrictedOperation, "this wants an administrator's credential"),
    "UNEXPECTED_PARAMETER": (.adminRestrictedOperation, "only an administrator may send this member"),
    "PHONE_NUMBER_EXISTS": (.credentialAlreadyInUse, "another account has this phone number"),
    "DUPLICATE_LOCAL_ID": (.invalidArgument, "another account has this identifier"),
    "DUPLICATE_EMAIL": (.invalidArgument, "two of the accounts have the same address"),
    "DUPLICATE_RAW_ID": (.invalidArgument, "two of the accounts have the same user of an identity provider"),
    "MISSING_USER_ACCOUNT": (.invalidArgument, "there is no account to import"),
    "MISSING_HASH_ALGORITHM": (.invalidArgument, "say how the passwords are hashed"),
    "INVALID_HASH_ALGORITHM": (.invalidArgument, "name a hash algorithm that the protocol knows"),
    "INVALID_HASH_ROUNDS": (.invalidArgument, "the rounds of the hashes are out of their limits"),
    "MISSING_NEW_EMAIL": (.missingEmail, "the new e-mail address is needed"),
    "ADMIN_ONLY_OPERATION": (.adminRestrictedOperation, "only an administrator may do this"),
    "INVALID_ID_TOKEN": (.invalidUserToken, "the session's token is not accepted; sign in again"),
    "TOKEN_EXPIRED": (.userTokenExpired, "the session was revoked or has expired; sign in again"),
    "INVALID_REFRESH_TOKEN": (.invalidUserToken, "the refresh token is not accepted; sign in again"),
    "MISSING_REFRESH_TOKEN": (.invalidUserToken, "a refresh token is needed; sign in again"),
    "INVALID_GRANT_TYPE": (.internalError, "the grant type is not known"),
    "MISSING_GRANT_TYPE": (.internalError, "a grant type is needed"),
    "PROJECT_NUMBER_MISMATCH": (.invalidUserToken, "the refresh token belongs to another project; sign in again"),
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": (.requiresRecentLogin, "this wants a recent sign-in; sign in again"),
    "CREDENTIAL_MISMATCH": (.customTokenMismatch, "the custom token belongs to another project"),
    "INVALID_CUSTOM_TOKEN": (.invalidCustomToken, "the custom token is not accepted"),
    "PROVIDER_ALREADY_LINKED": (.providerAlreadyLinked, "the account signs in with this provider already"),
    "FEDERATED_USER_ID_ALREADY_LINKED": (.credentialAlreadyInUse, "the credential is linked to another account"),
    "INVALID_IDP_RESPONSE": (.invalidCredential, "the identity provider's answer is not accepted"),
    "INVALID_PENDING_TOKEN": (.invalidCredential, "the pending credential is not accepted"),
    "INVALID_PROVIDER_ID": (.invalidProviderID, "there is no such identity provider"),
    "EXPIRED_OOB_CODE": (.expiredActionCode, "the code has expired; ask for a new one"),
    "INVALID_OOB_CODE": (.invalidActionCode, "the code is wrong, used or unknown; ask for a new one"),
    "MISSING_OOB_CODE": (.invalidActionCode, "a code is needed"),
    "INVALID_REQ_TYPE": (.invalidReqType, "the kind of message is not known"),
    "MISSING_REQ_TYPE": (.invalidReqType, "a kind of message is needed"),
    "MISSING_CUSTOM_TOKEN": (.invalidCustomToken, "a custom token is needed"),
    "RESET_PASSWORD_EXCEED_LIMIT": (.tooManyRequests, "too many messages were asked for; wait before the next one"),
    "INVALID_MESSAGE_PAYLOAD": (.invalidMessagePayload, "the message template is malformed"),
    "INVALID_SENDER": (.invalidSender, "the sender of the message is not valid"),
    "INVALID_RECIPIENT_EMAIL": (.invalidRecipientEmail, "the recipient's address is not valid"),
    "MISSING_IOS_BUNDLE_ID": (.missingIosBundleID, "a bundle identifier is needed"),
    "MISSING_ANDROID_PACKAGE_NAME": (.missingAndroidPackageName, "a package name is needed"),
    "UNAUTHORIZED_DOMAIN": (.unauthorizedDomain, "the continue URL's domain is not allowed"),
    "INVALID_CONTINUE_URI": (.invalidContinueURI, "the continue URL is not valid"),
    "MISSING_CONTINUE_URI": (.missingContinueURI, "a continue URL is needed"),
    "INVALID_PHONE_NUMBER": (.invalidPhoneNumber, "this is not a phone number"),
    "MISSING_PHONE_NUMBER": (.missingPhoneNumber, "a phone number is needed"),
    "INVALID_CODE": (.invalidVerificationCode, "the verification code is wrong"),
    "MISSING_CODE": (.missingVerificationCode, "a verification code is needed"),
    "INVALID_SESSION_INFO": (.invalidVerificationID, "the verification identifier is wrong"),
    "MISSING_SESSION_INFO": (.missingVerificationID, "a verification identifier is needed"),
    "SESSION_EXPIRED": (.sessionExpired, "the verification code has expired; ask for a new one"),
    "CAPTCHA_CHECK_FAILED": (.captchaCheckFailed, "the captcha was refused"),
    "TENANT_ID_MISMATCH": (.tenantIDMismatch, "the user belongs to another tenant"),
    "INVALID_TENANT_ID": (.invalidArgument, "the project has no such tenant"),
    "TENANT_NOT_FOUND": (.invalidArgument, "the project has no such tenant"),
    "UNSUPPORTED_TENANT_OPERATION": (.unsupportedTenantOperation, "tenants do not support this"),
    "EMAIL_CHANGE_NEEDS_VERIFICATION": (.emailChangeNeedsVerification, "the new address must be verified first"),
    "UNVERIFIED_EMAIL": (.unverifiedEmail, "the address must be verified first"),
    "SECOND_FACTOR_EXISTS": (.secondFactorAlreadyEnrolled, "the second factor is enrolled already"),
    "SECOND_FACTOR_LIMIT_EXCEEDED": (.maximumSecondFactorCountExceeded, "there are too many second factors"),
    "UNSUPPORTED_FIRST_FACTOR": (.unsupportedFirstFactor, "this first factor does not go with a second one"),
    "INVALID_MFA_PENDING_CREDENTIAL": (.invalidMultiFactorSession, "the multi-factor session is not valid"),
    "MISSING_MFA_PENDING_CREDENTIAL": (.missingMultiFactorSession, "a multi-factor session is needed"),
    "MFA_ENROLLMENT_NOT_FOUND": (.multiFactorInfoNotFound, "there is no such second factor"),
    "MISSING_MFA_ENROLLMENT_ID": (.missingMultiFactorInfo, "a second factor must be named"),
    "MISSING_CLIENT_IDENTIFIER": (.missingClientIdentifier, "a client identifier is needed"),
    "MISSING_OR_INVALID_NONCE": (.missingOrInvalidNonce, "the nonce is missing or wrong"),
    "BLOCKING_FUNCTION_ERROR_RESPONSE": (.blockingCloudFunctionError, "the project's own hook refused"),
    "INVALID_HOSTING_LINK_DOMAIN": (.invalidHostingLinkDomain, "the link domain is not the project's"),
    "INVALID_DYNAMIC_LINK_DOMAIN": (.invalidHostingLinkDomain, "the link domain is not the project's"),
    // The codes of administrators' calls.
    "INVALID_DURATION": (.invalidArgument, "a session cookie lives from 5 minutes to 14 days"),
    "FORBIDDEN_CLAIM": (.invalidArgument, "one of the claims is the provider's own; choose another name"),
    "INVALID_CLAIMS": (.invalidArgument, "the claims are not a JSON object"),
    "CLAIMS_TOO_LARGE": (.invalidArgument, "the claims are longer than 1000 bytes as JSON"),
    "MISSING_REQUEST_URI": (.invalidArgument, "the URL of the page that the identity came to is needed"),
    "MISSING_LOCAL_ID": (.invalidArgument, "the user's identifier is needed"),
    "INVALID_LOCAL_ID": (.invalidArgument, "a user's identifier has 1 to 128 bytes"),
    "INVALID_DISPLAY_NAME": (.invalidArgument, "the name to show is empty, too long or not allowed"),
    "MISSING_DISPLAY_NAME": (.invalidArgument, "a name to show is needed"),
    "INVALID_NEW_EMAIL": (.invalidEmail, "the new address is not an e-mail address"),
    "NOT_DISABLED": (.invalidArgument, "disable the account first, or delete with force"),
    "INVALID_PAGE_SELECTION": (.invalidArgument, "the page token is not the one of the page before"),
    "DUPLICATE_MFA_ENROLLMENT_ID": (.secondFactorAlreadyEnrolled, "two second factors have the same identifier"),
    "UNSUPPORTED_SECOND_FACTOR": (.invalidArgument, "the project does not support this kind of second factor"),
    "CONFIGURATION_EXISTS": (.invalidArgument, "there is such a provider already"),
    "CONFIGURATION_NOT_FOUND": (.invalidArgument, "there is no such provider"),
    "INVALID_CONFIG": (.invalidArgument, "the configuration is not valid"),
    "MISSING_CONFIG": (.invalidArgument, "a configuration is needed"),
    "INVALID_CONFIG_ID": (
      .invalidArgument, "a provider's identifier begins with oidc. or saml. and has a name behind it"
    ),
    "MISSING_CONFIG_ID": (.invalidArgument, "a provider's identifier is needed"),
    "MISSING_PROVIDER_ID": (.invalidProviderID, "an identity provider must be named"),
    "MISSING_OAUTH_CLIENT_ID": (.invalidArgument, "the provider's client identifier is needed"),
    "INVALID_OAUTH_CLIENT_ID": (.invalidArgument, "the provider's client identifier is not valid"),
    "MISSING_OAUTH_CLIENT_SECRET": (.invalidArgument, "the provider's client secret is needed"),
    "MISSING_ISSUER": (.invalidArgument, "the provider's issuer is needed"),
    "MISSING_SAML_RELYING_PARTY_CONFIG": (.invalidArgument, "spConfig needs spEntityId"),
    "INVALID_TENANT_TYPE": (.invalidArgument, "this kind of tenant is not supported"),
    "DUPLICATE_TENANT_ID": (.invalidArgument, "there is such a tenant already"),
    "INVALID_NAME": (.invalidArgument, "the resource's name is not valid"),
    "INVALID_TESTING_PHONE_NUMBER": (.invalidPhoneNumber, "a test phone number or its code is not valid"),
    "INVALID_PROJECT_ID": (.invalidArgument, "the project's identifier is not valid"),
    "PROJECT_NOT_FOUND": (.invalidArgument, "the server does not have this project; check the project's identifier"),
    "INVALID_SERVICE_ACCOUNT": (.invalidCredential, "the service account is not accepted; take one of this project"),
    "BILLING_NOT_ENABLED": (.operationNotAllowed, "the project's plan does not have this; enable billing"),
    // Google's status names, for answers without one of the protocol's error codes.
    "INVALID_ARGUMENT": (.invalidArgument, "the call is not valid"),
    "FAILED_PRECONDITION": (.operationNotAllowed, "the project is not in the state that this call needs"),
    "PERMISSION_DENIED": (.adminRestrictedOperation, "the credential may not do this; give its account the role"),
  ]
}
