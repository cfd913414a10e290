import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Testing

/// One public asynchronous call in both forms: what every path of it is walked with.
struct BothForms: Sendable, CustomTestStringConvertible {
  /// What it is called with: a user, and the parts that some calls need.
  struct Stage: Sendable {
    let auth: Auth
    let user: User
    let session: MultiFactorSession
    let resolver: MultiFactorResolver
    /// `.zero` where the call is to time out.
    var timeout: Duration?

    var phones: PhoneAuthProvider { PhoneAuthProvider.provider(auth: auth) }
    /// A credential that is good.
    var password: AuthCredential { EmailAuthProvider.credential(withEmail: Scene.email, password: Scene.password) }
    var phone: AuthCredential {
      phones.credential(withVerificationID: "phone:+12025550123", verificationCode: "123456")
    }
    var assertion: MultiFactorAssertion { PhoneMultiFactorGenerator.assertion(with: phone) }
    var totp: MultiFactorAssertion {
      TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "factor", oneTimePassword: "123456")
    }
    var settings: ActionCodeSettings {
      let settings = ActionCodeSettings()
      settings.handleCodeInApp = true
      return settings
    }
  }

  typealias Done = @Sendable (AuthError?) -> Void

  /// As the symbol graph names it, without its timeout.
  let name: String
  let awaiting: @Sendable (Stage) async throws -> Void
  let completing: @Sendable (Stage, @escaping Done) -> Void

  var testDescription: String { name }

  private init<Value: Sendable>(
    _ name: String, _ awaiting: @escaping @Sendable (Stage) async throws -> Value,
    _ completing: @escaping @Sendable (Stage, @escaping @Sendable (Result<Value, AuthError>) -> Void) -> Void
  ) {
    self.name = name
    self.awaiting = { stage in _ = try await awaiting(stage) }
    self.completing = { stage, done in
      completing(stage) { result in
        switch result {
        case .success: done(nil)
        case .failure(let error): done(error)
        }
      }
    }
  }

  static let all: [BothForms] = ofAuth + ofCodes + ofUser + ofFactors

  private static let ofAuth = [
    BothForms(
      "Auth.ready()", { try await $0.auth.ready(timeout: $0.timeout) },
      { $0.auth.ready(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.flush()", { try await $0.auth.flush(timeout: $0.timeout) },
      { $0.auth.flush(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.close()", { try await $0.auth.close(timeout: $0.timeout) },
      { $0.auth.close(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.createUser(withEmail:password:)",
      { try await $0.auth.createUser(withEmail: "b@example.com", password: "correct horse", timeout: $0.timeout) },
      { $0.auth.createUser(withEmail: "b@example.com", password: "correct horse", timeout: $0.timeout, completion: $1) }
    ),
    BothForms(
      "Auth.signIn(withEmail:password:)",
      { try await $0.auth.signIn(withEmail: Scene.email, password: Scene.password, timeout: $0.timeout) },
      { $0.auth.signIn(withEmail: Scene.email, password: Scene.password, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.signIn(withEmail:link:)",
      {
        try await $0.auth.signIn(withEmail: Scene.email, link: "http://a/?mode=signIn&oobCode=x", timeout: $0.timeout)
      },
      {
        $0.auth.signIn(
          withEmail: Scene.email, link: "http://a/?mode=signIn&oobCode=x", timeout: $0.timeout, completion: $1)
      }),
    BothForms(
      "Auth.signIn(with:)", { try await $0.auth.signIn(with: $0.password, timeout: $0.timeout) },
      { $0.auth.signIn(with: $0.password, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.signIn(withCustomToken:)", { try await $0.auth.signIn(withCustomToken: "custom:x", timeout: $0.timeout) },
      { $0.auth.signIn(withCustomToken: "custom:x", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.signInAnonymously()", { try await $0.auth.signInAnonymously(timeout: $0.timeout) },
      { $0.auth.signInAnonymously(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.updateCurrentUser(_:)", { try await $0.auth.updateCurrentUser($0.user, timeout: $0.timeout) },
      { $0.auth.updateCurrentUser($0.user, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.savedUsers()", { try await $0.auth.savedUsers(timeout: $0.timeout) },
      { $0.auth.savedUsers(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.switchUser(toUID:)", { try await $0.auth.switchUser(toUID: "saved", timeout: $0.timeout) },
      { $0.auth.switchUser(toUID: "saved", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.forgetUser(withUID:)", { try await $0.auth.forgetUser(withUID: "saved", timeout: $0.timeout) },
      { $0.auth.forgetUser(withUID: "saved", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.signOutEverywhere()", { try await $0.auth.signOutEverywhere(timeout: $0.timeout) },
      { $0.auth.signOutEverywhere(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.revokeToken(withAuthorizationCode:)",
      { try await $0.auth.revokeToken(withAuthorizationCode: "c", timeout: $0.timeout) },
      { $0.auth.revokeToken(withAuthorizationCode: "c", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.validatePassword(_:)", { try await $0.auth.validatePassword("correct horse", timeout: $0.timeout) },
      { $0.auth.validatePassword("correct horse", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "PhoneAuthProvider.verifyPhoneNumber(_:)",
      { try await $0.phones.verifyPhoneNumber("+12025550123", timeout: $0.timeout) },
      { $0.phones.verifyPhoneNumber("+12025550123", timeout: $0.timeout, completion: $1) }),
  ]

  private static let ofCodes = [
    BothForms(
      "Auth.sendPasswordReset(withEmail:actionCodeSettings:)",
      { try await $0.auth.sendPasswordReset(withEmail: Scene.email, timeout: $0.timeout) },
      { $0.auth.sendPasswordReset(withEmail: Scene.email, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.sendSignInLink(toEmail:actionCodeSettings:)",
      { try await $0.auth.sendSignInLink(toEmail: Scene.email, actionCodeSettings: $0.settings, timeout: $0.timeout) },
      {
        $0.auth.sendSignInLink(
          toEmail: Scene.email, actionCodeSettings: $0.settings, timeout: $0.timeout, completion: $1)
      }),
    BothForms(
      "Auth.confirmPasswordReset(withCode:newPassword:)",
      { try await $0.auth.confirmPasswordReset(withCode: "c", newPassword: "correct horse", timeout: $0.timeout) },
      {
        $0.auth.confirmPasswordReset(withCode: "c", newPassword: "correct horse", timeout: $0.timeout, completion: $1)
      }),
    BothForms(
      "Auth.verifyPasswordResetCode(_:)", { try await $0.auth.verifyPasswordResetCode("c", timeout: $0.timeout) },
      { $0.auth.verifyPasswordResetCode("c", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.checkActionCode(_:)", { try await $0.auth.checkActionCode("c", timeout: $0.timeout) },
      { $0.auth.checkActionCode("c", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.applyActionCode(_:)", { try await $0.auth.applyActionCode("c", timeout: $0.timeout) },
      { $0.auth.applyActionCode("c", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "Auth.fetchSignInMethods(forEmail:)",
      { try await $0.auth.fetchSignInMethods(forEmail: Scene.email, timeout: $0.timeout) },
      { $0.auth.fetchSignInMethods(forEmail: Scene.email, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.sendEmailVerification(with:)", { try await $0.user.sendEmailVerification(timeout: $0.timeout) },
      { $0.user.sendEmailVerification(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)",
      { try await $0.user.sendEmailVerification(beforeUpdatingEmail: "b@example.com", timeout: $0.timeout) },
      { $0.user.sendEmailVerification(beforeUpdatingEmail: "b@example.com", timeout: $0.timeout, completion: $1) }),
  ]

  private static let ofUser = [
    BothForms(
      "User.getIDToken(forcingRefresh:)",
      { try await $0.user.getIDToken(forcingRefresh: true, timeout: $0.timeout) },
      { $0.user.getIDToken(forcingRefresh: true, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.getIDTokenResult(forcingRefresh:)",
      { try await $0.user.getIDTokenResult(forcingRefresh: true, timeout: $0.timeout) },
      { $0.user.getIDTokenResult(forcingRefresh: true, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.idTokenForcingRefresh(_:)", { try await $0.user.idTokenForcingRefresh(true) },
      { $0.user.getIDTokenForcingRefresh(true, completion: $1) }),
    BothForms(
      "User.reload()", { try await $0.user.reload(timeout: $0.timeout) },
      { $0.user.reload(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.delete()", { try await $0.user.delete(timeout: $0.timeout) },
      { $0.user.delete(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.updatePassword(to:)", { try await $0.user.updatePassword(to: "another horse", timeout: $0.timeout) },
      { $0.user.updatePassword(to: "another horse", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.updateEmail(to:)", { try await $0.user.updateEmail(to: "b@example.com", timeout: $0.timeout) },
      { $0.user.updateEmail(to: "b@example.com", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.updatePhoneNumber(_:)", { try await $0.user.updatePhoneNumber($0.phone, timeout: $0.timeout) },
      { $0.user.updatePhoneNumber($0.phone, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.link(with:)", { try await $0.user.link(with: $0.phone, timeout: $0.timeout) },
      { $0.user.link(with: $0.phone, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.unlink(fromProvider:)", { try await $0.user.unlink(fromProvider: "password", timeout: $0.timeout) },
      { $0.user.unlink(fromProvider: "password", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.reauthenticate(with:)", { try await $0.user.reauthenticate(with: $0.password, timeout: $0.timeout) },
      { $0.user.reauthenticate(with: $0.password, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.sessions()", { try await $0.user.sessions(timeout: $0.timeout) },
      { $0.user.sessions(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "User.revokeSession(_:)", { try await $0.user.revokeSession("s", timeout: $0.timeout) },
      { $0.user.revokeSession("s", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "UserProfileChangeRequest.commitChanges()",
      { try await $0.user.createProfileChangeRequest().commitChanges(timeout: $0.timeout) },
      { $0.user.createProfileChangeRequest().commitChanges(timeout: $0.timeout, completion: $1) }),
  ]

  private static let ofFactors = [
    BothForms(
      "MultiFactor.session()", { try await $0.user.multiFactor.session() },
      { $0.user.multiFactor.session(completion: $1) }),
    BothForms(
      "MultiFactor.enroll(with:displayName:)",
      { try await $0.user.multiFactor.enroll(with: $0.assertion, timeout: $0.timeout) },
      { $0.user.multiFactor.enroll(with: $0.assertion, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "MultiFactor.unenroll(with:)",
      { try await $0.user.multiFactor.unenroll(with: $0.resolver.hints[0], timeout: $0.timeout) },
      { $0.user.multiFactor.unenroll(with: $0.resolver.hints[0], timeout: $0.timeout, completion: $1) }),
    BothForms(
      "MultiFactor.unenroll(withFactorUID:)",
      { try await $0.user.multiFactor.unenroll(withFactorUID: "f", timeout: $0.timeout) },
      { $0.user.multiFactor.unenroll(withFactorUID: "f", timeout: $0.timeout, completion: $1) }),
    BothForms(
      "MultiFactor.generateRecoveryCodes()",
      { try await $0.user.multiFactor.generateRecoveryCodes(timeout: $0.timeout) },
      { $0.user.multiFactor.generateRecoveryCodes(timeout: $0.timeout, completion: $1) }),
    BothForms(
      "TOTPMultiFactorGenerator.generateSecret(with:)",
      { try await TOTPMultiFactorGenerator.generateSecret(with: $0.session, timeout: $0.timeout) },
      { TOTPMultiFactorGenerator.generateSecret(with: $0.session, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "MultiFactorResolver.resolveSignIn(with:)",
      { try await $0.resolver.resolveSignIn(with: $0.totp, timeout: $0.timeout) },
      { $0.resolver.resolveSignIn(with: $0.totp, timeout: $0.timeout, completion: $1) }),
    BothForms(
      "PhoneAuthProvider.verifyPhoneNumber(_:multiFactorSession:)",
      { try await $0.phones.verifyPhoneNumber("+12025550123", multiFactorSession: $0.session, timeout: $0.timeout) },
      {
        $0.phones.verifyPhoneNumber(
          "+12025550123", multiFactorSession: $0.session, timeout: $0.timeout, completion: $1)
      }),
    BothForms(
      "PhoneAuthProvider.verifyPhoneNumber(with:multiFactorSession:)",
      {
        try await $0.phones.verifyPhoneNumber(
          with: $0.resolver.hints[0], multiFactorSession: $0.resolver.session, timeout: $0.timeout)
      },
      {
        $0.phones.verifyPhoneNumber(
          with: $0.resolver.hints[0], multiFactorSession: $0.resolver.session, timeout: $0.timeout, completion: $1)
      }),
  ]
}

extension BothForms.Stage {
  /// Signs a user in whose later sign-ins want a second factor, and begins such a sign-in.
  static func signedIn(to auth: Auth, _ backend: ScriptedBackend) async throws -> Self {
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    backend.requireSecondFactor(of: Scene.email)
    let session = try await user.multiFactor.session()
    let waiting = await #expect(throws: AuthError.self) {
      try await auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    let error = try #require(waiting)
    let resolver = try #require(auth.multiFactorResolver(for: error))
    return Self(auth: auth, user: user, session: session, resolver: resolver)
  }
}
