import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Something that happens to an account while a code of its mail is not used yet: a row of the table in
/// `Docs/SECURITY.md`.
struct CodeEvent: Sendable, CustomStringConvertible {
  typealias Act = @Sendable (CodeStage, inout CodeStage.Subject) async throws -> Void

  let description: String
  /// Acts on the account of a code.
  var act: Act = { _, _ in }
  /// The seconds that pass, for all accounts.
  var seconds: Double = 0

  static let all = time + signIns + usersChanges + messages + administrators

  private static let time = [
    CodeEvent(description: "nothing"),
    CodeEvent(description: "an hour passes", seconds: 3600),
    CodeEvent(description: "three days pass", seconds: 3 * 86400),
    CodeEvent(description: "thirty days pass", seconds: 30 * 86400),
    CodeEvent(description: "the code is used") { try await $0.use($1) },
  ]

  private static let signIns = [
    CodeEvent(description: "a sign-in with password and factor, where the owner was before") {
      _ = try await $0.signIn($1, from: CodeStage.home)
    },
    CodeEvent(description: "a sign-in with password and factor, elsewhere") {
      _ = try await $0.signIn($1, from: CodeStage.elsewhere)
    },
    CodeEvent(description: "the same where the owner was before, after a new password") {
      try await setPassword($0, &$1)
      _ = try await $0.signIn($1, from: CodeStage.home)
    },
    CodeEvent(description: "a sign-in with password and recovery code, where the owner was before") {
      let codes = try await $0.scene.backend.answer(MakeRecoveryCodes(idToken: $1.idToken)).recoveryCodes
      let pending = try await $0.waiting($1, from: CodeStage.home)
      _ = try await $0.at(CodeStage.home).answer(FinalizeMfaSignIn(pending, recoveryCode: codes[0]))
    },
    CodeEvent(description: "a sign-in by link and factor, where the owner was before") { stage, subject in
      let code = try await stage.sent(.emailSignIn, to: subject.email) { [subject] in $0.email = subject.email }.code
      let error = await expectRefusal(.secondFactorRequired) { [subject] in
        try await stage.at(CodeStage.home).answer(SignInWithEmailLink(email: subject.email, oobCode: code))
      }
      let call = FinalizeMfaSignIn(
        try #require(error?.pendingSignIn).credential, factor: subject.factor,
        password: try stage.oneTimePassword(subject.secret))
      _ = try await stage.at(CodeStage.home).answer(call)
    },
  ]

  private static let usersChanges = [
    CodeEvent(description: "the user sets a new password", act: setPassword),
    CodeEvent(description: "the user removes the password") { stage, subject in
      _ = try await stage.scene.update(subject.idToken) { $0.deleteProvider = ["password"] }
    },
    CodeEvent(description: "the user ends all sessions") {
      _ = try await $0.scene.backend.answer(RevokeSessions(idToken: $1.idToken))
    },
    CodeEvent(description: "the session that has asked for the code ends") {
      let session = try UnverifiedToken($1.idToken.revealed)["sid"]?.string
      _ = try await $0.scene.backend.answer(RevokeSessions(idToken: $1.idToken, sessionId: session))
    },
    CodeEvent(description: "another session ends") {
      let other = try await $0.signIn($1, from: CodeStage.elsewhere)
      let session = try UnverifiedToken(other.revealed)["sid"]?.string
      _ = try await $0.scene.backend.answer(RevokeSessions(idToken: other, sessionId: session))
    },
    CodeEvent(description: "the user enrolls another factor") { _ = try await $0.enroll($1) },
    CodeEvent(description: "the user withdraws the factor") {
      _ = try await $0.scene.backend.answer(WithdrawMfa(idToken: $1.idToken, mfaEnrollmentId: $1.factor))
    },
    CodeEvent(description: "the user deletes the account") {
      _ = try await $0.scene.backend.answer(Delete(idToken: $1.idToken))
    },
  ]

  private static let messages = [
    CodeEvent(description: "the password is reset by another message") {
      try await $0.reset($1)
      $1.password = "battery staple"
    },
    CodeEvent(description: "the address is verified by another message") {
      try await $0.verify($1.idToken, of: $1.email)
    },
    CodeEvent(description: "the address is changed by another message") {
      try await $0.move(&$1, to: "later-\($1.email)")
    },
    CodeEvent(description: "the same, and the change is taken back") {
      let email = $1.email
      try await $0.move(&$1, to: "later-\(email)")
      try await $0.apply(try await $0.code(.recoverEmail, to: email))
      $1.email = email
    },
    CodeEvent(description: "another change of the address is refused") { stage, subject in
      let new = "later-\(subject.email)"
      let message = try await stage.sent(.verifyAndChangeEmail, to: new) { [subject] in
        ($0.idToken, $0.newEmail) = (subject.idToken, new)
      }
      try await stage.apply(try CodeStage.secondCode(of: message))
    },
    CodeEvent(description: "the owner of the address says that the account is not theirs") { stage, subject in
      let message = try await stage.sent(.verifyEmail, to: subject.email) { [subject] in $0.idToken = subject.idToken }
      try await stage.apply(try CodeStage.secondCode(of: message))
    },
    CodeEvent(description: "the code of another factor is used") { stage, subject in
      _ = try await stage.enroll(subject)
      try await stage.apply(try await stage.code(.revertSecondFactorAddition, to: subject.email))
    },
  ]

  private static let administrators = [
    CodeEvent(description: "an administrator ends the sessions") { stage, subject in
      try await stage.administer(subject) { $0.validSince = DecimalString(Int64(stage.scene.clock.now().wall)) }
    },
    CodeEvent(description: "the same, by a clock that is a second late") { stage, subject in
      stage.scene.clock.advance(by: 60)
      try await stage.administer(subject) { $0.validSince = DecimalString(Int64(stage.scene.clock.now().wall) - 1) }
    },
    CodeEvent(description: "a program that holds the provider ends the sessions") {
      try await $0.scene.backend.revoke(uid: $1.uid)
    },
    CodeEvent(description: "an administrator sets the password") { stage, subject in
      try await stage.administer(subject) { $0.password = Secret("battery staple") }
      subject.password = "battery staple"
    },
    CodeEvent(description: "an administrator sets the same address again") { stage, subject in
      try await stage.administer(subject) { [subject] in ($0.email, $0.emailVerified) = (subject.email, true) }
    },
    CodeEvent(description: "an administrator sets another address") { stage, subject in
      let new = "set-\(subject.email)"
      try await stage.administer(subject) { ($0.email, $0.emailVerified) = (new, true) }
      subject.email = new
    },
    CodeEvent(description: "an administrator sets the factors, and keeps the user's") { stage, subject in
      var kept = CreateAccount.PhoneFactor(phoneInfo: "")
      (kept.phoneInfo, kept.mfaEnrollmentId) = (nil, subject.factor)
      try await stage.administer(subject) { [kept] in $0.mfa = .init(enrollments: [kept]) }
    },
    CodeEvent(description: "an administrator removes the factors") { stage, subject in
      try await stage.administer(subject) { $0.mfa = .init(enrollments: nil) }
    },
    CodeEvent(description: "an administrator disables the account") { stage, subject in
      try await stage.administer(subject) { $0.disableUser = true }
    },
    CodeEvent(description: "the same, and enables it again") { stage, subject in
      try await stage.administer(subject) { $0.disableUser = true }
      try await stage.administer(subject) { $0.disableUser = false }
    },
    CodeEvent(description: "an administrator deletes the account") {
      _ = try await $0.scene.backend.answer(DeleteAccount(localId: $1.uid))
    },
    CodeEvent(description: "an import replaces the account") { stage, subject in
      var user = ImportedAccount(localId: subject.uid)
      (user.email, user.emailVerified, user.rawPassword) = (subject.email, true, Secret("battery staple"))
      var call = ImportAccounts(users: [user])
      call.allowOverwrite = true
      let faults = try await stage.scene.backend.answer(call).error
      #expect(faults == nil)
    },
  ]

  private static let setPassword: Act = { stage, subject in
    let changed = try await stage.scene.update(subject.idToken) { $0.password = Secret("battery staple") }
    (subject.password, subject.idToken) = ("battery staple", try #require(changed.idToken))
  }
}

extension CodeStage {
  fileprivate func administer(_ subject: Subject, _ set: (inout UpdateAccount) -> Void) async throws {
    var edit = UpdateAccount(localId: subject.uid)
    set(&edit)
    _ = try await scene.backend.answer(edit)
  }

  /// Uses a code for its purpose, as a reader of the mail elsewhere would.
  func use(_ subject: Subject) async throws(AuthError) {
    let backend = at(Caller(address: "203.0.113.1"))
    switch subject.kind {
    case .newPassword:
      _ = try await backend.answer(ResetPassword(oobCode: subject.code, newPassword: Secret("known to eve")))
    case .signIn:
      do throws(AuthError) {
        _ = try await backend.answer(SignInWithEmailLink(email: subject.recipient, oobCode: subject.code))
      } catch {
        if error.code != .secondFactorRequired { throw error }
      }
    default: _ = try await backend.answer(Update(oobCode: subject.code))
    }
  }
}
