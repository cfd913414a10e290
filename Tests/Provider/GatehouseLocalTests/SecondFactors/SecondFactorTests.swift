import Foundation
import Gatehouse
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

struct SecondFactorTests {
  @Test func `a session that is older than a factor, and has shown none, changes no factors`() async throws {
    let scene = try await SecondFactorScene()
    let idToken = Secret(try await scene.user.getIDToken())
    var edit = UpdateAccount(localId: scene.user.uid)
    edit.mfa = .init(enrollments: [CreateAccount.PhoneFactor(phoneInfo: "+12025550124")])
    _ = try await scene.scene.backend.answer(edit)
    let factor = try #require(try await scene.scene.lookUp(idToken).mfaInfo?.first?.mfaEnrollmentId)
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.scene.backend.answer(WithdrawMfa(idToken: idToken, mfaEnrollmentId: factor))
    }
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.scene.backend.answer(MakeRecoveryCodes(idToken: idToken))
    }
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.scene.backend.answer(StartMfaEnrollment(idToken: idToken))
    }
    #expect(try await scene.scene.lookUp(idToken).mfaInfo?.count == 1)
  }

  // MARK: Enrolling

  @Test func `an app is enrolled, and the session goes on with it`() async throws {
    let scene = try await SecondFactorScene()
    let other = try await scene.scene.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await scene.user.multiFactor.session())
    #expect(secret.sharedSecretKey().utf8.count == 32)
    #expect(
      secret.generateQRCodeURL(issuer: "Example") == "otpauth://totp/Example:ada@example.com?secret="
        + "\(secret.sharedSecretKey())&issuer=Example&algorithm=SHA1&digits=6&period=30")
    #expect("\(secret)" == "TOTPSecret")
    let wrong = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "000000")
    await expectRefusal(.invalidVerificationCode) { try await scene.user.multiFactor.enroll(with: wrong) }
    let right = TOTPMultiFactorGenerator.assertionForEnrollment(
      with: secret, oneTimePassword: try scene.password(secret.sharedSecretKey()))
    #expect(!"\(right)".contains(try scene.password(secret.sharedSecretKey())))
    try await scene.user.multiFactor.enroll(with: right, displayName: "phone")
    let factor = try #require(scene.user.multiFactor.enrolledFactors.first)
    #expect(factor.displayName == "phone")
    #expect(factor.factorID == "totp")
    #expect(factor.enrollmentDate == Date(timeIntervalSince1970: 1_800_000_000))
    let token = try await scene.user.getIDTokenResult()
    #expect(token.signInSecondFactor == "totp")
    #expect(token.claims["firebase"]?["second_factor_identifier"]?.string == factor.uid)
    #expect(try await scene.user.getIDTokenResult(forcingRefresh: true).signInSecondFactor == "totp")
    // A session without the second factor has ended, and the enrolment is used up.
    await expectRefusal("TOKEN_EXPIRED") { try await scene.scene.refresh(other.refreshToken) }
    await expectRefusal(.invalidVerificationID) { try await scene.user.multiFactor.enroll(with: right) }
  }

  @Test func `an enrolment wants a verified address, a recent sign-in, and an account that can sign in`() async throws {
    let (scene, _) = Scene.sending()
    let user = try await scene.signUp()
    let guest = try await scene.signUpAnonymously()
    let custom = try await scene.backend.answer(
      SignInWithCustomToken(token: Secret(try await scene.backend.customToken(forUser: "carl"))))
    await expectRefusal("UNVERIFIED_EMAIL") {
      try await scene.backend.answer(StartMfaEnrollment(idToken: user.idToken))
    }
    for idToken in [guest.idToken, custom.idToken] {
      await expectRefusal("UNSUPPORTED_FIRST_FACTOR") {
        try await scene.backend.answer(StartMfaEnrollment(idToken: idToken))
      }
    }
    let verified = try await SecondFactorScene()
    verified.scene.clock.advance(by: 301)
    await expectRefusal(.requiresRecentLogin) {
      try await TOTPMultiFactorGenerator.generateSecret(with: try await verified.user.multiFactor.session())
    }
    let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "correct horse")
    _ = try await verified.user.reauthenticate(with: credential)
    try await verified.enroll()
  }

  @Test func `an enrolment expires, and is of its own account`() async throws {
    let scene = try await SecondFactorScene()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await scene.user.multiFactor.session())
    scene.scene.clock.advance(by: 601)
    let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "correct horse")
    _ = try await scene.user.reauthenticate(with: credential)
    let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
      with: secret, oneTimePassword: try scene.password(secret.sharedSecretKey()))
    await expectRefusal(.sessionExpired) { try await scene.user.multiFactor.enroll(with: assertion) }
    let other = try await SecondFactorScene()
    await expectRefusal(.invalidVerificationID) { try await other.user.multiFactor.enroll(with: assertion) }
  }

  @Test func `an account has begun five enrollments at most; one more replaces the oldest`() async throws {
    let scene = try await SecondFactorScene()
    var secrets: [TOTPSecret] = []
    for _ in 1...7 {
      secrets.append(
        try await TOTPMultiFactorGenerator.generateSecret(with: try await scene.user.multiFactor.session()))
      scene.scene.clock.advance(by: 1)
    }
    func enroll(_ secret: TOTPSecret) async throws {
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: try scene.password(secret.sharedSecretKey()))
      try await scene.user.multiFactor.enroll(with: assertion)
    }
    for secret in secrets[...1] { await expectRefusal(.invalidVerificationID) { try await enroll(secret) } }
    try await enroll(secrets[2])
    try await enroll(secrets[6])
  }

  @Test func `an account has five factors at most`() async throws {
    let scene = try await SecondFactorScene()
    for number in 1...5 { try await scene.enroll("app \(number)") }
    await expectRefusal(.maximumSecondFactorCountExceeded) { try await scene.enroll() }
    #expect(scene.user.multiFactor.enrolledFactors.map(\.displayName) == (1...5).map { "app \($0)" })
  }

  // MARK: Signing in

  @Test func `a sign-in waits for the second factor`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let before = scene.auth.currentUser
    let resolver = try await scene.resolver()
    #expect(scene.auth.currentUser == before)
    #expect(resolver.hints == [factor])
    let result = try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    #expect(result.user.uid == scene.user.uid)
    #expect(scene.auth.currentUser == result.user)
    #expect(try await result.user.getIDTokenResult().signInSecondFactor == "totp")
    // The sign-in is over.
    scene.scene.clock.advance(by: 60)
    await expectRefusal(.invalidMultiFactorSession) {
      try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
  }

  @Test func `a new token is not due at once after a second factor`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let resolver = try await scene.resolver()
    let user = try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret))).user
    let token = try await user.getIDToken()
    scene.scene.clock.advance(by: 3000)
    #expect(try await user.getIDToken() == token)
  }

  @Test func `a password of the app is good once`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let password = try scene.password(secret)
    let (first, second) = (try await scene.resolver(), try await scene.resolver())
    _ = try await first.resolveSignIn(with: scene.assertion(factor, password))
    await expectRefusal(.invalidVerificationCode) {
      try await second.resolveSignIn(with: scene.assertion(factor, password))
    }
    // The sign-in still waits: the next password ends it.
    scene.scene.clock.advance(by: 30)
    _ = try await second.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
  }

  @Test func `a new password keeps the second factor of the session`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let user = try await scene.resolver().resolveSignIn(
      with: scene.assertion(factor, try scene.password(secret))
    ).user
    try await user.updatePassword(to: "battery staple")
    for forcing in [false, true] {
      let claims = try UnverifiedToken(try await user.getIDToken(forcingRefresh: forcing)).claims
      #expect(claims["firebase"]?["sign_in_second_factor"] == "totp")
      #expect(claims["firebase"]?["second_factor_identifier"] == .string(factor.uid))
    }
  }

  @Test func `the audit log says whose second factor is guessed`() async throws {
    let scene = try await SecondFactorScene { $0.secondFactorThrottle = Throttle(attempts: 1, window: .seconds(300)) }
    let (_, factor) = try await scene.enroll()
    let resolver = try await scene.resolver()
    for code in [AuthError.Code.invalidVerificationCode, .tooManyRequests] {
      let error = await expectRefusal(code) {
        try await resolver.resolveSignIn(with: scene.assertion(factor, "000000"))
      }
      #expect(error?.email == "ada@example.com")
    }
    try await scene.scene.backend.close()
    let guesses = try scene.scene.events(in: "refused")
    #expect(guesses.map { $0["event"]?.string } == ["signInFailed", "lockedOut"])
    #expect(guesses.allSatisfy { $0["email"] == "ada@example.com" && $0["method"] == "totp" })
  }

  @Test func `guesses are limited, across sign-ins`() async throws {
    let scene = try await SecondFactorScene { $0.secondFactorThrottle = Throttle(attempts: 3, window: .seconds(300)) }
    let (secret, factor) = try await scene.enroll()
    for _ in 0..<3 {
      let resolver = try await scene.resolver()
      await expectRefusal(.invalidVerificationCode) {
        try await resolver.resolveSignIn(with: scene.assertion(factor, "000000"))
      }
    }
    let resolver = try await scene.resolver()
    await expectRefusal(.tooManyRequests) {
      try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
    scene.scene.clock.advance(by: 301)
    _ = try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
  }

  @Test func `a new password by a message gives no further guesses of a factor`() async throws {
    let scene = try await SecondFactorScene { $0.secondFactorThrottle = Throttle(attempts: 1, window: .seconds(300)) }
    let (secret, factor) = try await scene.enroll()
    let guess = try await scene.resolver()
    await expectRefusal(.invalidVerificationCode) {
      try await guess.resolveSignIn(with: scene.assertion(factor, "000000"))
    }
    try await scene.auth.sendPasswordReset(withEmail: "ada@example.com")
    try await scene.auth.confirmPasswordReset(withCode: scene.outbox.code.revealed, newPassword: "battery staple")
    let error = await expectRefusal(.secondFactorRequired) {
      try await scene.auth.signIn(withEmail: "ada@example.com", password: "battery staple")
    }
    let resolver = try #require(error.flatMap { scene.auth.multiFactorResolver(for: $0) })
    await expectRefusal(.tooManyRequests) {
      try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
    scene.scene.clock.advance(by: 301)
    _ = try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
  }

  @Test func `a sign-in waits for ten minutes, and not past a new password`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let late = try await scene.resolver()
    scene.scene.clock.advance(by: 600)
    await expectRefusal(.invalidMultiFactorSession) {
      try await late.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
    let waiting = try await scene.resolver()
    let revoked = try await scene.resolver()
    // In the same second.
    try await scene.scene.backend.revoke(uid: scene.user.uid)
    await expectRefusal(.invalidMultiFactorSession) {
      try await revoked.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
    try await scene.auth.sendPasswordReset(withEmail: "ada@example.com")
    try await scene.auth.confirmPasswordReset(withCode: scene.outbox.code.revealed, newPassword: "battery staple")
    await expectRefusal(.invalidMultiFactorSession) {
      try await waiting.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
  }

  @Test func `another account's factor, an unknown one and a wrong assertion are refused`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let resolver = try await scene.resolver()
    await expectRefusal(.multiFactorInfoNotFound) {
      try await resolver.resolveSignIn(
        with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "x", oneTimePassword: "000000"))
    }
    await expectRefusal(.missingVerificationCode) {
      try await resolver.resolveSignIn(with: scene.assertion(factor, ""))
    }
    let enrolment = TOTPMultiFactorGenerator.assertionForEnrollment(
      with: try await TOTPMultiFactorGenerator.generateSecret(with: try await scene.user.multiFactor.session()),
      oneTimePassword: "000000")
    await expectRefusal(.invalidArgument) { try await resolver.resolveSignIn(with: enrolment) }
    await expectRefusal(.invalidArgument) {
      try await scene.user.multiFactor.enroll(with: scene.assertion(factor, try scene.password(secret)))
    }
  }

  @Test func `a link of a message asks for the second factor, too, and a custom token does not`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    try await scene.scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    let link = scene.outbox.messages.last { $0.type == .emailSignIn }?.link.revealed ?? ""
    let error = await expectRefusal(.secondFactorRequired) {
      try await scene.auth.signIn(withEmail: "ada@example.com", link: link)
    }
    let resolver = try #require(error.flatMap { scene.auth.multiFactorResolver(for: $0) })
    _ = try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    let token = try await scene.scene.backend.customToken(forUser: scene.user.uid)
    #expect(try await scene.auth.signIn(withCustomToken: token).user.uid == scene.user.uid)
  }

  @Test func `a reauthentication asks for the second factor, and the session goes on`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "correct horse")
    let error = await expectRefusal(.secondFactorRequired) { try await scene.user.reauthenticate(with: credential) }
    let resolver = try #require(error.flatMap { scene.auth.multiFactorResolver(for: $0, reauthenticating: scene.user) })
    let result = try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    #expect(result.user == scene.user)
    #expect(scene.auth.currentUser == scene.user)
    #expect(scene.auth.multiFactorResolver(for: AuthError(.networkError, "x")) == nil)
  }

  @Test func `the error of a sign-in that waits tells no secret`() async throws {
    let scene = try await SecondFactorScene()
    try await scene.enroll()
    let error = await expectRefusal(.secondFactorRequired) {
      try await scene.auth.signIn(withEmail: "ada@example.com", password: "correct horse")
    }
    let pending = try #require(error?.pendingSignIn)
    var dumped = ""
    dump(error, to: &dumped)
    for text in ["\(try #require(error))", dumped] { #expect(!text.contains(pending.credential.revealed)) }
  }

  // MARK: Recovery codes

  @Test func `a recovery code signs in once, however it is typed`() async throws {
    let scene = try await SecondFactorScene()
    await expectRefusal(.multiFactorInfoNotFound) { try await scene.user.multiFactor.generateRecoveryCodes() }
    try await scene.enroll()
    let codes = try await scene.user.multiFactor.generateRecoveryCodes()
    #expect(Set(codes).count == 10)
    let pasted = ["\t\(codes[2])\r\n", codes[3].replacingOccurrences(of: "-", with: "\u{2011}"), "\u{A0}\(codes[4])"]
    for typed in [codes[0], codes[1].lowercased().replacingOccurrences(of: "-", with: " ")] + pasted {
      let resolver = try await scene.resolver()
      let user = try await resolver.resolveSignIn(with: .recoveryCode(typed)).user
      #expect(try await user.getIDTokenResult().signInSecondFactor == "recovery_code")
    }
    let resolver = try await scene.resolver()
    for (given, wasUsed) in [(codes[0], true), (codes[1], true), ("", false), ("ABCD-EFGH-IJKL-MNOP", false)] {
      let refusal = await expectRefusal(.invalidVerificationCode) {
        try await resolver.resolveSignIn(with: .recoveryCode(given))
      }
      #expect(refusal?.message.contains("used before") == wasUsed)
    }
  }

  @Test func `new recovery codes replace the old ones, and go with the last factor`() async throws {
    let scene = try await SecondFactorScene()
    let (_, factor) = try await scene.enroll()
    let old = try await scene.user.multiFactor.generateRecoveryCodes()
    let new = try await scene.user.multiFactor.generateRecoveryCodes()
    let resolver = try await scene.resolver()
    await expectRefusal(.invalidVerificationCode) { try await resolver.resolveSignIn(with: .recoveryCode(old[0])) }
    try await scene.user.multiFactor.unenroll(with: factor)
    try await scene.enroll()
    let again = try await scene.resolver()
    await expectRefusal(.invalidVerificationCode) { try await again.resolveSignIn(with: .recoveryCode(new[0])) }
  }

  // MARK: Taking factors away

  @Test func `without its factor an account signs in by its password alone`() async throws {
    let scene = try await SecondFactorScene()
    let (_, factor) = try await scene.enroll()
    await expectRefusal(.multiFactorInfoNotFound) { try await scene.user.multiFactor.unenroll(withFactorUID: "x") }
    try await scene.user.multiFactor.unenroll(with: factor)
    #expect(scene.user.multiFactor.enrolledFactors.isEmpty)
    #expect(try await scene.user.getIDTokenResult().signInSecondFactor == nil)
    _ = try await scene.auth.signIn(withEmail: "ada@example.com", password: "correct horse")
  }

  @Test func `a factor is not taken away without a recent sign-in`() async throws {
    let scene = try await SecondFactorScene()
    let (_, factor) = try await scene.enroll()
    scene.scene.clock.advance(by: 301)
    await expectRefusal(.requiresRecentLogin) { try await scene.user.multiFactor.unenroll(with: factor) }
    await expectRefusal(.requiresRecentLogin) { try await scene.user.multiFactor.generateRecoveryCodes() }
  }

  @Test func `an account that is deleted leaves no factor`() async throws {
    let scene = try await SecondFactorScene()
    let (secret, factor) = try await scene.enroll()
    let resolver = try await scene.resolver()
    try await scene.user.delete()
    await expectRefusal(.invalidMultiFactorSession) {
      try await resolver.resolveSignIn(with: scene.assertion(factor, try scene.password(secret)))
    }
  }
}
