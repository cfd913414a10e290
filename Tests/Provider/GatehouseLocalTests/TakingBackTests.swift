import Gatehouse
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Codes that take a change back, in the hands of a thief or a stranger (decisions 95 and 105).
struct TakingBackTests {
  private let scene: Scene
  private let outbox: Outbox
  private let pager = Pager()

  init() {
    (scene, outbox) = Scene.sending { [pager] in
      $0.enumerationProtection = true
      $0.textDelivery = pager
    }
  }

  // MARK: An administrator's word

  @Test(arguments: ["ada@example.com", "eve2@example.com", nil])
  func `no code takes back an address that an administrator has set or removed`(_ email: String?) async throws {
    let user = try await verifiedUser("ada@example.com")
    try await move(user.idToken, to: "eve1@example.com")
    try await move(scene.signIn("eve1@example.com").idToken, to: "eve2@example.com")
    let codes = [
      try await scene.message(.recoverEmail, in: outbox, to: "ada@example.com").code,
      try await scene.message(.recoverEmail, in: outbox, to: "eve1@example.com").code,
      try await notMe("eve2@example.com"),
    ]
    var repair = UpdateAccount(localId: user.localId)
    if let email {
      (repair.email, repair.emailVerified) = (email, true)
      (repair.password, repair.validSince) = (Secret("battery staple"), DecimalString(1_800_000_000))
    } else {
      repair.deleteAttribute = [.email]
    }
    _ = try await scene.backend.answer(repair)
    for code in codes { await expectRefusal("INVALID_OOB_CODE") { try await scene.apply(code) } }
    #expect(try await scene.backend.account(AccountName(user.localId)).email == email)
    if let email { try await scene.signIn(email, "battery staple") }
  }

  /// A program may set what is there already, every night.
  @Test func `an administrator who sets the same address ends no other code of it`() async throws {
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    var edit = UpdateAccount(localId: user.localId)
    edit.email = "ada@example.com"
    _ = try await scene.backend.answer(edit)
    #expect(try await scene.apply(await latestCode()).emailVerified == true)
  }

  /// The owner needs the way back if an administrator has only ended the thief's sessions.
  @Test func `the owner takes a change back after an administrator has set the password`() async throws {
    let user = try await verifiedUser("ada@example.com")
    try await move(user.idToken, to: "eve@example.com")
    let back = try await scene.message(.recoverEmail, in: outbox, to: "ada@example.com").code
    var edit = UpdateAccount(localId: user.localId)
    (edit.password, edit.validSince) = (Secret("battery staple"), DecimalString(1_800_000_000))
    _ = try await scene.backend.answer(edit)
    #expect(try await scene.apply(back).email == "ada@example.com")
  }

  // MARK: An address that was never proved

  @Test func `who takes the change of an unverified address back owns the account, and all else ends`() async throws {
    let stranger = try await scene.signUp("ada@example.com", "known to eve")
    try await linkPhone(to: stranger.idToken)
    try await move(stranger.idToken, to: "eve@example.com")
    let later = try await scene.signIn("eve@example.com", "known to eve")
    let back = try await scene.message(.recoverEmail, in: outbox, to: "ada@example.com")
    #expect(back.text.revealed.contains("never verified"))
    try await scene.apply(back.code)
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.uid == stranger.localId && account.isEmailVerified)
    #expect(account.signInMethods.isEmpty && account.phoneNumber == nil)
    await expectRefusal("INVALID_LOGIN_CREDENTIALS") { try await scene.signIn("ada@example.com", "known to eve") }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(later.refreshToken) }
  }

  // MARK: "Not me"

  @Test(arguments: [false, true])
  func `who refuses a change is told nothing of the account`(isMade: Bool) async throws {
    let user = try await verifiedUser("eve@example.com")
    try await linkPhone(to: user.idToken)
    try await ask(user.idToken, toMoveTo: "ada@example.com")
    if isMade { try await scene.apply(await latestCode()) }
    let answer = try await scene.apply(try await notMe("ada@example.com"))
    #expect(answer == Update.Response(localId: user.localId))
  }

  /// Otherwise a thief who reads the mailbox would get rid of the second factor, and then reset the password.
  @Test(arguments: [true, false])
  func `the second link of a verification removes no more than a password reset once the address is verified`(
    isAskedAgain: Bool
  ) async throws {
    var user = try await verifiedUser("ada@example.com")
    try await linkPhone(to: user.idToken)
    if isAskedAgain { try await scene.send(.verifyEmail) { $0.idToken = user.idToken } }
    let code = try await notMe("ada@example.com")
    let enrolled = try await scene.enroll(user.idToken)
    let codes = try await scene.backend.answer(MakeRecoveryCodes(idToken: enrolled.idToken)).recoveryCodes
    try await scene.apply(code)
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.secondFactors.count == 1 && account.signInMethods == ["phone"])
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(enrolled.refreshToken) }
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    _ = try await scene.backend.answer(
      ResetPassword(oobCode: await latestCode(), newPassword: Secret("battery staple")))
    let error = await expectRefusal(.secondFactorRequired) {
      try await scene.signIn("ada@example.com", "battery staple")
    }
    let pending = try #require(error?.pendingSignIn)
    let recovery = FinalizeMfaSignIn(pending.credential, recoveryCode: try #require(codes.first))
    user.idToken = try await scene.backend.answer(recovery).idToken
    #expect(try await scene.lookUp(user.idToken).localId == user.localId)
  }

  // MARK: Messages that were not requested

  @Test func `a stranger's account tells an address of its changes no more often than it can receive messages`()
    async throws
  {
    let (scene, outbox) = Scene.sending { $0.messageThrottle = Throttle(attempts: 4, window: .seconds(100)) }
    for number in 1...6 {
      let stranger = try await scene.signUp()
      try await scene.send(.verifyAndChangeEmail) {
        $0.idToken = stranger.idToken
        $0.newEmail = "eve\(number)@example.com"
      }
      try await scene.apply(outbox.code)
      await scene.backend.settle()
    }
    #expect(outbox.messages.count { $0.recipient == "ada@example.com" } == 4)
  }

  @Test func `an address that a stranger's account had for a while is told of it no more often, either`() async throws {
    let (scene, outbox) = Scene.sending { $0.messageThrottle = Throttle(attempts: 4, window: .seconds(100)) }
    var draft = CreateAccount(localId: "eve")
    (draft.email, draft.emailVerified, draft.password) = ("eve@example.com", true, Secret("known to eve"))
    _ = try await scene.backend.answer(draft)
    for _ in 1...6 {
      let stranger = try await scene.signIn("eve@example.com", "known to eve")
      _ = try await scene.update(stranger.idToken) { $0.email = "ada@example.com" }
      await scene.backend.settle()
      try await scene.apply(try await scene.message(.recoverEmail, in: outbox, to: "eve@example.com").code)
      await scene.backend.settle()
    }
    #expect(outbox.messages.count { $0.recipient == "ada@example.com" } == 4)
    #expect(outbox.messages.count { $0.recipient == "eve@example.com" } == 6)
  }

  // MARK: The scene

  private func verifiedUser(_ email: String) async throws -> SignInResponse {
    let user = try await scene.signUp(email)
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    try await scene.apply(await latestCode())
    return user
  }

  private func ask(_ idToken: Secret, toMoveTo email: String) async throws {
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = idToken
      $0.newEmail = email
    }
    await scene.backend.settle()
  }

  private func move(_ idToken: Secret, to email: String) async throws {
    try await ask(idToken, toMoveTo: email)
    try await scene.apply(await latestCode())
  }

  /// The code of the latest message that was asked for. Messages are sent after the answer.
  private func latestCode() async -> Secret {
    await scene.backend.settle()
    return outbox.code
  }

  /// The code of the second link in the latest message to an address.
  private func notMe(_ email: String) async throws -> Secret {
    await scene.backend.settle()
    let message = outbox.messages.last {
      $0.recipient == email && [.verifyEmail, .verifyAndChangeEmail].contains($0.type)
    }
    let link = try #require(message).text.revealed.split(separator: "\n").last { $0.hasPrefix("http") }
    return Secret(try #require(link.flatMap { ActionCodeURL(link: String($0)) }?.code))
  }

  private func linkPhone(to idToken: Secret) async throws {
    let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number)).sessionInfo
    let call = SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .link, of: idToken)
    _ = try await scene.backend.answer(call)
  }
}
