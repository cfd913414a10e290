import GatehouseBase
import IdentityToolkit

extension Route {
  /// The refusal of a member that only administrators may send.
  private static let administrators = AuthError(server: .insufficientPermission)

  /// The calls of clients, one per line.
  static let ofClients: [Route] = [
    CallRoute(
      SignUp.self, kind: "SignupNewUserResponse", legacy: "signupNewUser",
      missing: ["returnSecureToken": true, "localId": "", "customAttributes": ""],
      // As in Google's emulator.
      refusing: ["localId": AuthError(server: .unexpectedParameter, "User ID"), "customAttributes": administrators]),
    CallRoute(SignInWithPassword.self, kind: "VerifyPasswordResponse", legacy: "verifyPassword", missing: tokens) {
      _, _ in ["registered": true]
    },
    CallRoute(
      SignInWithCustomToken.self, kind: "VerifyCustomTokenResponse", legacy: "verifyCustomToken", missing: tokens,
      requiring: ["token": AuthError(server: .missingCustomToken)]),
    CallRoute(
      SignInWithIdp.self, kind: "VerifyAssertionResponse", legacy: "verifyAssertion",
      missing: ["autoCreate": true, "returnIdpCredential": false, "returnSecureToken": true],
      requiring: ["requestUri": AuthError(server: .missingRequestURI)]),
    CallRoute(
      SignInWithEmailLink.self, kind: "EmailLinkSigninResponse", legacy: "emailLinkSignin", missing: tokens),
    CallRoute(SignInWithPhoneNumber.self, legacy: "verifyPhoneNumber"),
    CallRoute(SendVerificationCode.self, legacy: "sendVerificationCode"),
    CallRoute(Lookup.self, kind: "GetAccountInfoResponse", legacy: "getAccountInfo"),
    CallRoute(
      Update.self, kind: "SetAccountInfoResponse", legacy: "setAccountInfo", missing: ["returnSecureToken": false],
      // As at Google. Other members that only an administrator may change are ignored: Firebase's clients send them.
      refusing: [
        "customAttributes": administrators, "mfa": administrators,
        "disableUser": AuthError(server: .operationNotAllowed),
      ]),
    CallRoute(Delete.self, kind: "DeleteAccountResponse", legacy: "deleteAccount"),
    CallRoute(
      SendOobCode.self, kind: "GetOobConfirmationCodeResponse", legacy: "getOobConfirmationCode",
      missing: ["returnOobLink": false],
      // As in Google's emulator.
      refusing: ["returnOobLink": administrators]),
    CallRoute(ResetPassword.self, kind: "ResetPasswordResponse", legacy: "resetPassword"),
    CallRoute(CreateAuthUri.self, kind: "CreateAuthUriResponse", legacy: "createAuthUri"),
    CallRoute(ExchangeRefreshToken.self, missing: ["grantType": ""]) { answer, routed in
      ["access_token": .string(answer.idToken.revealed), "project_id": .string(routed.scene.provider.audience)]
    },
    CallRoute(StartMfaEnrollment.self),
    CallRoute(FinalizeMfaEnrollment.self),
    CallRoute(WithdrawMfa.self),
    CallRoute(StartMfaSignIn.self, missing: ["phoneSignInInfo": [:]]),
    CallRoute(FinalizeMfaSignIn.self),
    CallRoute(GetPasswordPolicy.self),
    CallRoute(RevokeToken.self),
    // Specific to Gatehouse.
    CallRoute(MakeRecoveryCodes.self),
    CallRoute(ListSessions.self),
    CallRoute(RevokeSessions.self, closed: ["": ["idToken", "sessionId", "tenantId"]]),
  ].flatMap(\.routes)

  /// Every answer contains tokens, whether or not the client asks for them.
  private static let tokens: JSONObject = ["returnSecureToken": true]
}
