import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct UsingCodesTests {
  private func reset(_ scene: Scene, _ code: Secret, to password: String? = nil) async throws -> ResetPassword.Response
  {
    try await scene.backend.answer(ResetPassword(oobCode: code, newPassword: password.map { Secret($0) }))
  }

  private func apply(_ scene: Scene, _ code: Secret) async throws -> Update.Response {
    try await scene.backend.answer(Update(oobCode: code))
  }

  private func signIn(
    _ scene: Scene, _ code: Secret, _ email: String = "ada@example.com", linkingTo idToken: Secret? = nil
  ) async throws -> SignInResponse {
    try await scene.backend.answer(SignInWithEmailLink(email: email, oobCode: code, linkingTo: idToken))
  }

  // MARK: A new password

  @Test func `a code sets a new password once, and ends all sessions`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    scene.clock.advance(by: 30)
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let checked = try await reset(scene, outbox.code)
    #expect(checked == ResetPassword.Response(requestType: .passwordReset, email: "ada@example.com"))
    await expectRefusal("WEAK_PASSWORD") { try await reset(scene, outbox.code, to: "short") }
    _ = try await reset(scene, outbox.code, to: "battery staple")
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, outbox.code, to: "a third one") }
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, outbox.code) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn() }
    let again = try await scene.signIn("ada@example.com", "battery staple")
    #expect(try await scene.lookUp(again.idToken).emailVerified == true)
  }

  @Test func `of several uses of one code at once exactly one succeeds`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let code = outbox.code
    let successes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask { (try? await self.reset(scene, code, to: "password \(number)")) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(successes == 1)
  }

  @Test func `a code expires, and is forgotten a week later`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let code = outbox.code
    scene.clock.advance(by: 3600)
    await expectRefusal("EXPIRED_OOB_CODE") { try await reset(scene, code, to: "battery staple") }
    scene.clock.advance(by: 8 * 86400)
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, code, to: "battery staple") }
  }

  @Test func `a code is not good any more once the password was changed, or the account is gone or disabled`()
    async throws
  {
    let (scene, outbox) = Scene.sending()
    var user = try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    _ = try await scene.update(user.idToken) { $0.password = Secret("battery staple") }
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, outbox.code, to: "a third one") }
    user = try await scene.signIn("ada@example.com", "battery staple")
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    try await scene.backend.setDisabled(uid: user.localId, true)
    await expectRefusal("USER_DISABLED") { try await reset(scene, outbox.code, to: "a third one") }
    try await scene.backend.setDisabled(uid: user.localId, false)
    user = try await scene.signIn("ada@example.com", "battery staple")
    _ = try await scene.backend.answer(Delete(idToken: user.idToken))
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, outbox.code, to: "a third one") }
  }

  @Test func `a code ends the wait after failed sign-ins`() async throws {
    let (scene, outbox) = Scene.sending { $0.throttle = Throttle(attempts: 1, window: .seconds(300)) }
    try await scene.signUp()
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "wrong password") }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.signIn() }
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    _ = try await reset(scene, outbox.code, to: "battery staple")
    try await scene.signIn("ada@example.com", "battery staple")
  }

  @Test func `a code does only what it is for`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    await expectRefusal("INVALID_OOB_CODE") { try await apply(scene, outbox.code) }
    await expectRefusal("INVALID_OOB_CODE") { try await signIn(scene, outbox.code) }
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, outbox.code, to: "battery staple") }
    await expectRefusal("INVALID_OOB_CODE") { try await signIn(scene, outbox.code) }
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    await expectRefusal("INVALID_OOB_CODE") { try await reset(scene, outbox.code, to: "battery staple") }
    await expectRefusal("INVALID_OOB_CODE") { try await apply(scene, outbox.code) }
    for nonsense in ["x", String(repeating: "A", count: 54)] {
      await expectRefusal("INVALID_OOB_CODE") { try await apply(scene, Secret(nonsense)) }
    }
    await expectRefusal("MISSING_OOB_CODE") { try await apply(scene, Secret("")) }
    try await scene.signIn()
  }

  // MARK: Addresses

  @Test func `a code verifies an address, and the session goes on`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    #expect(try await scene.lookUp(user.idToken).emailVerified == false)
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await apply(scene, outbox.code)
    #expect(try await scene.lookUp(user.idToken).emailVerified == true)
    await expectRefusal("INVALID_OOB_CODE") { try await apply(scene, outbox.code) }
  }

  @Test func `a code changes an address, and another takes the change back`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await apply(scene, outbox.code)
    scene.clock.advance(by: 30)
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "Countess@example.com"
    }
    #expect(outbox.messages.last?.recipient == "countess@example.com")
    let info = try await reset(scene, outbox.code)
    #expect(info.email == "ada@example.com")
    #expect(info.newEmail == "countess@example.com")
    let changed = try await apply(scene, outbox.code)
    #expect(changed.email == "countess@example.com")
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("EMAIL_NOT_FOUND") { try await scene.signIn() }
    let moved = try await scene.signIn("countess@example.com")
    #expect(try await scene.lookUp(moved.idToken).emailVerified == true)

    let notice = try await scene.notice(in: outbox)
    #expect(notice.recipient == "ada@example.com")
    #expect(try await reset(scene, notice.code).requestType == .recoverEmail)
    scene.clock.advance(by: 86400)
    _ = try await apply(scene, notice.code)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(moved.refreshToken) }
    #expect(try await scene.signIn().localId == user.localId)
    await expectRefusal("EMAIL_NOT_FOUND") { try await scene.signIn("countess@example.com") }
  }

  @Test func `an update of the address tells the former one`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    _ = try await scene.update(user.idToken) { $0.email = "countess@example.com" }
    let notice = try await scene.notice(in: outbox)
    #expect(notice.recipient == "ada@example.com")
    #expect(notice.newEmail == "countess@example.com")
    #expect(try await apply(scene, notice.code).email == "ada@example.com")
  }

  @Test func `an address that was taken meanwhile is not given`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "countess@example.com"
    }
    let code = outbox.code
    var edit = UpdateAccount(localId: try await scene.signUp("countess@example.com").localId)
    edit.emailVerified = true
    _ = try await scene.backend.answer(edit)
    await expectRefusal("EMAIL_EXISTS") { try await apply(scene, code) }
    try await scene.signIn()
  }

  @Test func `under enumeration protection a new address must be verified`() async throws {
    let (scene, _) = Scene.sending { $0.enumerationProtection = true }
    let user = try await scene.signUp()
    try await scene.signUp("taken@example.com")
    for email in ["taken@example.com", "free@example.com"] {
      await expectRefusal("EMAIL_CHANGE_NEEDS_VERIFICATION") {
        try await scene.update(user.idToken) { $0.email = email }
      }
    }
  }

  // MARK: Signing in by link

  @Test func `a link signs a new user in, and the same user again`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    let first = try await signIn(scene, outbox.code)
    #expect(first.isNewUser == true)
    await expectRefusal("INVALID_OOB_CODE") { try await signIn(scene, outbox.code) }
    try await scene.send(.emailSignIn) { $0.email = "ADA@example.com" }
    let second = try await signIn(scene, outbox.code, "ADA@example.com")
    #expect(second.isNewUser == false)
    #expect(second.localId == first.localId)
    let account = try await scene.lookUp(second.idToken)
    #expect(account.emailVerified == true)
    #expect(account.providerUserInfo?.map(\.providerId) == ["password"])
    #expect(account.profile.isAnonymous == false)
    _ = try await scene.lookUp(first.idToken)
    #expect(try await scene.backend.answer(CreateAuthUri(identifier: "ada@example.com")).signinMethods == ["emailLink"])
  }

  @Test func `a link is good for its address only`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    await expectRefusal("INVALID_EMAIL") { try await signIn(scene, outbox.code, "eve@example.com") }
    _ = try await signIn(scene, outbox.code)
  }

  @Test func `a stranger who has taken an address before loses it to its owner`() async throws {
    let (scene, outbox) = Scene.sending()
    let stranger = try await scene.signUp("ada@example.com", "known to eve")
    scene.clock.advance(by: 30)
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    let owner = try await signIn(scene, outbox.code)
    #expect(owner.localId == stranger.localId)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(stranger.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(stranger.idToken) }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "known to eve") }
    _ = try await scene.lookUp(owner.idToken)
  }

  @Test func `a link keeps the password of an address that was verified before`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await apply(scene, outbox.code)
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    _ = try await signIn(scene, outbox.code)
    try await scene.signIn()
    _ = try await scene.refresh(user.refreshToken)
  }

  @Test func `a link gives an anonymous account its address`() async throws {
    let (scene, outbox) = Scene.sending()
    let guest = try await scene.signUpAnonymously()
    scene.clock.advance(by: 30)
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    let linked = try await signIn(scene, outbox.code, linkingTo: guest.idToken)
    #expect(linked.localId == guest.localId)
    #expect(linked.isNewUser == false)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(guest.refreshToken) }
    #expect(try await scene.lookUp(linked.idToken).email == "ada@example.com")
  }

  @Test func `a link to an account wants an address that is free`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.signUp()
    let guest = try await scene.signUpAnonymously()
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    await expectRefusal("EMAIL_EXISTS") { try await signIn(scene, outbox.code, linkingTo: guest.idToken) }
    let other = try await scene.signUp("grace@example.com")
    try await scene.send(.emailSignIn) { $0.email = "new@example.com" }
    await expectRefusal(.providerAlreadyLinked) {
      try await signIn(scene, outbox.code, "new@example.com", linkingTo: other.idToken)
    }
  }

  // MARK: A recent sign-in

  @Test func `a change of how a user signs in wants a recent sign-in`() async throws {
    let (scene, _) = Scene.sending()
    let user = try await scene.signUp()
    let guest = try await scene.signUpAnonymously()
    scene.clock.advance(by: 301)
    let word = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    await expectRefusal(word) { try await scene.update(user.idToken) { $0.password = Secret("battery staple") } }
    await expectRefusal(word) { try await scene.update(user.idToken) { $0.email = "countess@example.com" } }
    await expectRefusal(word) { try await scene.update(user.idToken) { $0.deleteProvider = ["password"] } }
    await expectRefusal(word) { try await scene.backend.answer(Delete(idToken: user.idToken)) }
    await expectRefusal(word) {
      try await scene.send(.verifyAndChangeEmail) {
        $0.idToken = user.idToken
        $0.newEmail = "countess@example.com"
      }
    }
    _ = try await scene.update(user.idToken) { $0.displayName = "Ada" }
    _ = try await scene.backend.answer(Delete(idToken: guest.idToken))
    let again = try await scene.signIn()
    _ = try await scene.update(again.idToken) { $0.deleteProvider = ["password"] }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn() }
  }
}

extension Scene {
  /// The message that goes out without its caller's waiting: closing the provider waits for it, another one goes on.
  func notice(in outbox: Outbox) async throws -> OutgoingMessage {
    while outbox.messages.last?.type != .recoverEmail { await Task.yield() }
    return try #require(outbox.messages.last)
  }
}
