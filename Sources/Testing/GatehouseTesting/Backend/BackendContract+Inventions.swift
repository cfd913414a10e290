import GatehouseBase
import IdentityToolkit

extension BackendContract {
  static let inventing: [Check] = [
    Check(name: "an invented code of a message is refused") { backend in
      let ada = Person()
      let made = try await backend.signUp(ada)
      for code in [somethingSecret(), made.idToken, Secret("")] {
        let check = ResetPassword(oobCode: code)
        try await expectRefusal(of: check, by: backend, with: spentCode, "an invented code that is checked")
        let reset = ResetPassword(oobCode: code, newPassword: somethingSecret())
        try await expectRefusal(of: reset, by: backend, with: spentCode, "a reset with an invented code")
        let link = SignInWithEmailLink(email: ada.email, oobCode: code)
        try await expectRefusal(
          of: link, by: backend, with: spentCode + [.operationNotAllowed], "a sign-in with an invented link")
        let update = Update(oobCode: code)
        try await expectRefusal(of: update, by: backend, with: spentCode, "a change with an invented code")
      }
      try expect(try await backend.signIn(ada).localId, isExactly: made.localId, "the account after invented codes")
    },
    Check(name: "an invented proof of who signs in is refused") { backend in
      let off: [AuthError.Code] = [.operationNotAllowed]
      let factor = FinalizeMfaSignIn(somethingSecret(), factor: "factor", password: "123456")
      try await expectRefusal(
        of: factor, by: backend, with: off + [.invalidMultiFactorSession], "an invented sign-in that waits")
      let phone = SignInWithPhoneNumber(.code(Secret("123456"), sessionInfo: somethingSecret()), .signUpOrIn)
      try await expectRefusal(
        of: phone, by: backend, with: off + [.invalidVerificationID, .sessionExpired], "an invented text")
      let custom = SignInWithCustomToken(token: somethingSecret())
      try await expectRefusal(of: custom, by: backend, with: off + [.invalidCustomToken], "an invented custom token")
      var credential = IdentityCredential(providerID: "google.com")
      credential.idToken = somethingSecret()
      try await expectRefusal(
        of: SignInWithIdp(credential), by: backend, with: off + [.invalidCredential, .invalidProviderID],
        "an invented token of an identity provider")
    },
    Check(name: "a token of an identity provider is taken back for nobody who is not signed in") { backend in
      for idToken in [somethingSecret(), Secret("")] {
        let call = RevokeToken(
          idToken: idToken, providerId: "apple.com", token: somethingSecret(), tokenType: .code)
        try await expectRefusal(
          of: call, by: backend, with: [.invalidUserToken, .operationNotAllowed], "a token with an invented ID token")
      }
    },
    Check(name: "a password that breaks the rules in force is refused") { backend in
      let policy: GetPasswordPolicy.Response
      switch await outcome(of: GetPasswordPolicy(), by: backend) {
      case .success(let answer): policy = answer
      case .failure(let error):
        return try expect(error.code == .operationNotAllowed, "the rules for passwords came to: \(error)")
      }
      guard policy.enforcementState == "ENFORCE", let least = policy.customStrengthOptions.minPasswordLength, least > 1
      else { return }
      let ada = Person()
      let weak = SignUp(email: ada.email, password: Secret(String(repeating: "a", count: least - 1)))
      try await expectRefusal(
        of: weak, by: backend, with: [.weakPassword, .passwordDoesNotMeetRequirements], "too short a password")
    },
    Check(name: "an address's ways to sign in are told truly, and no more openly than by a sign-in") { backend in
      let (ada, stranger) = (Person(), Person())
      _ = try await backend.signUp(ada)
      let known = await outcome(of: CreateAuthUri(identifier: ada.email), by: backend)
      let unknown = await outcome(of: CreateAuthUri(identifier: stranger.email), by: backend)
      guard case (.success(let found), .success(let none)) = (known, unknown) else {
        let codes = [known, unknown].map { outcome -> AuthError.Code? in
          if case .failure(let error) = outcome { error.code } else { nil }
        }
        return try expect(
          codes.allSatisfy { $0 == .operationNotAllowed },
          "the ways to sign in should be told of every address, or of none; they came to \(known) and \(unknown)")
      }
      guard found.registered != nil || none.registered != nil || found.signinMethods != none.signinMethods else {
        return
      }
      try expect(found.registered == true, "an address that has an account is told not to have one")
      try expect(none.registered != true, "an address that has no account is told to have one")
      try expect(found.signinMethods?.contains("password") ?? true, "a password is no way to sign in: \(found)")
      try expect(
        try await tellsWhoIsThere(backend), "a caller should not learn of an account what a sign-in does not tell")
    },
  ]
}
