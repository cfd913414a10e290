import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Who may add a second factor, and how the owner of the address gets rid of one that another person has added.
struct FactorOwnershipTests {
  private let scene: Scene
  private let outbox: Outbox
  private let pager = Pager()

  init() {
    (scene, outbox) = Scene.sending { [pager] in $0.textDelivery = pager }
  }

  // MARK: An unverified address has no second factor

  @Test func `an administrator gives no factor to an account whose address is not verified`() async throws {
    var draft = CreateAccount(localId: "ada")
    draft.mfaInfo = [Self.phone]
    await expectRefusal("UNVERIFIED_EMAIL") { [draft] in try await scene.backend.answer(draft) }
    draft.email = "ada@example.com"
    await expectRefusal("UNVERIFIED_EMAIL") { [draft] in try await scene.backend.answer(draft) }
    draft.mfaInfo = nil
    _ = try await scene.backend.answer(draft)
    var edit = UpdateAccount(localId: "ada")
    edit.mfa = .init(enrollments: [Self.phone])
    await expectRefusal("UNVERIFIED_EMAIL") { [edit] in try await scene.backend.answer(edit) }
    edit.emailVerified = true
    _ = try await scene.backend.answer(edit)
  }

  @Test func `an administrator unverifies no address of an account with a factor`() async throws {
    try await makeAccountWithPhone()
    var unverified = UpdateAccount(localId: "ada")
    unverified.emailVerified = false
    var moved = UpdateAccount(localId: "ada")
    moved.email = "countess@example.com"
    for edit in [unverified, moved] {
      await expectRefusal("UNVERIFIED_EMAIL") { try await scene.backend.answer(edit) }
    }
    moved.emailVerified = true
    _ = try await scene.backend.answer(moved)
    unverified.mfa = .init(enrollments: nil)
    _ = try await scene.backend.answer(unverified)
  }

  @Test func `a factor that another account has is refused by name, and costs no other account`() async throws {
    var phone = Self.phone
    phone.mfaEnrollmentId = "same"
    var users = ["a", "b", "c"].map { ImportedAccount(localId: $0) }
    for index in users.indices {
      (users[index].email, users[index].emailVerified) = ("\(index)@example.com", true)
      if index < 2 { users[index].mfaInfo = [phone] }
    }
    let faults = try await scene.backend.answer(ImportAccounts(users: users)).error
    #expect(faults?.map(\.index) == [1])
    var draft = CreateAccount(localId: "d")
    (draft.email, draft.emailVerified, draft.mfaInfo) = ("d@example.com", true, [phone])
    await expectRefusal("SECOND_FACTOR_EXISTS") { [draft] in try await scene.backend.answer(draft) }
    var edit = UpdateAccount(localId: "c")
    edit.mfa = .init(enrollments: [phone])
    await expectRefusal("SECOND_FACTOR_EXISTS") { [edit] in try await scene.backend.answer(edit) }
  }

  @Test func `an import gives no factor to an account whose address is not verified`() async throws {
    var (none, unverified) = (ImportedAccount(localId: "a"), ImportedAccount(localId: "b"))
    (none.mfaInfo, none.emailVerified) = ([Self.phone], true)
    (unverified.mfaInfo, unverified.email) = ([Self.phone], "ada@example.com")
    let faults = try await scene.backend.answer(ImportAccounts(users: [none, unverified])).error
    #expect(faults?.map(\.index) == [0, 1])
    #expect(
      faults?.map(\.message) == [
        "Second factor account requires email to be presented.",
        "Second factor account requires email to be verified.",
      ])
  }

  @Test func `no call of a client unverifies the address of an account with a factor`() async throws {
    let user = try await verifiedUser()
    let enrolled = try await enroll(user.idToken)
    await expectRefusal("EMAIL_CHANGE_NEEDS_VERIFICATION") {
      try await scene.update(enrolled.idToken) { $0.email = "countess@example.com" }
    }
    await expectRefusal(.providerAlreadyLinked) {
      try await scene.backend.answer(
        SignUp(email: "countess@example.com", password: Secret("correct horse"), linkingTo: enrolled.idToken))
    }
    #expect(try await scene.lookUp(enrolled.idToken).emailVerified == true)
  }

  // MARK: A factor that is added

  @Test func `the owner hears of a new factor, and takes it away again`() async throws {
    let user = try await verifiedUser()
    let enrolled = try await enroll(user.idToken)
    let notice = try await scene.message(.revertSecondFactorAddition, in: outbox)
    #expect(notice.recipient == "ada@example.com" && notice.uid == user.localId)
    #expect(notice.link.revealed.contains("mode=revertSecondFactorAddition"))
    let checked = try await scene.backend.answer(ResetPassword(oobCode: notice.code))
    #expect(checked.requestType == .revertSecondFactorAddition && checked.email == "ada@example.com")
    _ = try await apply(notice.code)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(enrolled.refreshToken) }
    #expect(try await scene.backend.account(ada).secondFactors.isEmpty)
    try await scene.signIn()
    await expectRefusal("INVALID_OOB_CODE") { try await apply(notice.code) }
  }

  @Test func `a code for a factor that is gone is not good any more`() async throws {
    let user = try await verifiedUser()
    let enrolled = try await enroll(user.idToken)
    let notice = try await scene.message(.revertSecondFactorAddition, in: outbox)
    let id = try #require(try await scene.lookUp(enrolled.idToken).mfaInfo?.first?.mfaEnrollmentId)
    _ = try await scene.backend.answer(WithdrawMfa(idToken: enrolled.idToken, mfaEnrollmentId: id))
    await expectRefusal("MFA_ENROLLMENT_NOT_FOUND") {
      try await scene.backend.answer(ResetPassword(oobCode: notice.code))
    }
  }

  @Test func `the owner hears of a new phone, too`() async throws {
    let user = try await verifiedUser()
    let begun = try await scene.backend.answer(
      StartMfaEnrollment(idToken: user.idToken, phoneNumber: PhoneScene.number))
    let session = try #require(begun.phoneSessionInfo)
    let proof = PhoneVerificationInfo(sessionInfo: session.sessionInfo, code: pager.code)
    _ = try await scene.backend.answer(FinalizeMfaEnrollment(idToken: user.idToken, displayName: nil, proof))
    _ = try await apply(try await scene.message(.revertSecondFactorAddition, in: outbox).code)
    #expect(try await scene.backend.account(ada).secondFactors.isEmpty)
  }

  @Test func `a factor is added where there is no delivery, and where no more messages may be sent`() async throws {
    let mute = Scene()
    var draft = CreateAccount(localId: "ada")
    (draft.email, draft.emailVerified, draft.password) = ("ada@example.com", true, Secret("correct horse"))
    _ = try await mute.backend.answer(draft)
    _ = try await Self.enroll(try await mute.signIn().idToken, in: mute)

    let (scene, outbox) = Scene.sending { $0.messageThrottle.attempts = 1 }
    _ = try await scene.backend.answer(draft)
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    _ = try await Self.enroll(try await scene.signIn().idToken, in: scene)
    _ = try await scene.message(.revertSecondFactorAddition, in: outbox)
  }

  @Test func `a way back is not forgotten with other codes`() async throws {
    let user = try await verifiedUser()
    let enrolled = try await enroll(user.idToken)
    let notice = try await scene.message(.revertSecondFactorAddition, in: outbox)
    _ = try await scene.update(enrolled.idToken) { $0.password = Secret("known to eve") }
    _ = try await apply(notice.code)
    #expect(try await scene.backend.account(ada).secondFactors.isEmpty)
  }

  // MARK: Taking a change of the address back

  @Test func `taking a change of the address back removes what was added since`() async throws {
    let identities = try IdentityScene { [outbox, pager] in
      $0.delivery = outbox
      $0.textDelivery = pager
    }
    let scene = identities.scene
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: outbox.code))
    let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number)).sessionInfo
    _ = try await scene.backend.answer(
      SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .link, of: user.idToken))
    // A thief of the session moves the account, and stays.
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "eve@example.com"
    }
    _ = try await scene.backend.answer(Update(oobCode: outbox.code))
    let notice = try await scene.notice(in: outbox)
    let thief = try await scene.signIn("eve@example.com")
    _ = try await identities.signIn(identities.credential("eve"), linkingTo: thief.idToken)
    let changed = try await scene.update(thief.idToken) { $0.password = Secret("known to eve") }
    let enrolled = try await Self.enroll(try #require(changed.idToken), in: scene)
    _ = try await scene.backend.answer(Update(oobCode: notice.code))
    let account = try await scene.backend.account(ada)
    #expect(account.uid == user.localId && account.secondFactors.isEmpty)
    #expect(account.signInMethods == ["phone"])
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(enrolled.refreshToken) }
  }

  @Test func `a password that is older than the change of a verified address stays`() async throws {
    let user = try await verifiedUser()
    _ = try await scene.update(user.idToken) { $0.email = "eve@example.com" }
    _ = try await scene.backend.answer(Update(oobCode: try await scene.notice(in: outbox).code))
    #expect(try await scene.signIn().localId == user.localId)
  }

  @Test func `the address that is replaced hears of it, without a way back`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp()
    _ = try await scene.update(user.idToken) { $0.email = "eve@example.com" }
    let notice = try await scene.notice(in: outbox)
    _ = try await scene.backend.answer(Update(oobCode: notice.code))
    while outbox.messages.last?.recipient != "eve@example.com" { await Task.yield() }
    let last = try #require(outbox.messages.last)
    #expect(last.code.revealed.isEmpty && last.link.revealed.isEmpty && !last.text.revealed.contains("http"))
  }

  @Test func `who takes a change back takes the later changes back with it`() async throws {
    let user = try await verifiedUser()
    let first = try await scene.update(user.idToken) { $0.email = "eve@example.com" }
    let back = try await scene.notice(in: outbox).code
    _ = try await scene.update(try #require(first.idToken)) { $0.email = "mallory@example.com" }
    while outbox.messages.last?.recipient != "eve@example.com" { await Task.yield() }
    let later = outbox.messages.last?.code ?? Secret("none")
    _ = try await scene.backend.answer(Update(oobCode: back))
    await expectRefusal("INVALID_OOB_CODE") { try await scene.backend.answer(Update(oobCode: later)) }
    #expect(try await scene.signIn().localId == user.localId)
  }

  @Test(arguments: [ActionCodeType.passwordReset, .emailSignIn])
  func `no message takes away a factor that an administrator has set`(_ type: ActionCodeType) async throws {
    try await makeAccountWithPhone()
    try await scene.send(type) { $0.email = "ada@example.com" }
    if type == .passwordReset {
      _ = try await scene.backend.answer(ResetPassword(oobCode: outbox.code, newPassword: Secret("battery staple")))
    } else {
      await expectRefusal(.secondFactorRequired) {
        try await scene.backend.answer(SignInWithEmailLink(email: "ada@example.com", oobCode: outbox.code))
      }
    }
    #expect(try await scene.backend.account(ada).secondFactors.map(\.phoneNumber) == ["+12025550124"])
  }

  // MARK: The scene

  private static let phone = CreateAccount.PhoneFactor(phoneInfo: "+12025550124")
  private let ada = AccountName("ada@example.com")

  private func makeAccountWithPhone() async throws {
    var draft = CreateAccount(localId: "ada")
    (draft.email, draft.emailVerified, draft.password) = ("ada@example.com", true, Secret("correct horse"))
    draft.mfaInfo = [Self.phone]
    _ = try await scene.backend.answer(draft)
  }

  private func verifiedUser() async throws -> SignInResponse {
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await apply(outbox.code)
    return user
  }

  private func enroll(_ idToken: Secret) async throws -> SecondFactorTokens {
    try await Self.enroll(idToken, in: scene)
  }

  private static func enroll(_ idToken: Secret, in scene: Scene) async throws -> SecondFactorTokens {
    let begun = try await scene.backend.answer(StartMfaEnrollment(idToken: idToken))
    let session = try #require(begun.totpSessionInfo)
    let secret = try #require(Base32.decode(session.sharedSecretKey.revealed))
    let step = OneTimePassword.step(at: Int64(scene.clock.now().wall))
    let password = try OneTimePassword.password(SecretBytes(secret), step: step)
    let proof = TotpVerificationInfo(sessionInfo: session.sessionInfo, verificationCode: password)
    return try await scene.backend.answer(FinalizeMfaEnrollment(idToken: idToken, displayName: nil, proof))
  }

  private func apply(_ code: Secret) async throws -> Update.Response {
    try await scene.backend.answer(Update(oobCode: code))
  }
}
