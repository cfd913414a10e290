import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// Changes of an address, for which another person waits: an account that has the address and never proved it, and an
/// account that is moved to an address by the click of a person who does not own the account (decision 105).
struct MovedAddressTests {
  /// Whether callers can find out which addresses have accounts.
  private static let protections = [true, false]

  // MARK: An account that never proved the address

  @Test(arguments: protections)
  func `an unverified account does not keep a verified change from its address`(isProtected: Bool) async throws {
    let (scene, outbox) = Scene.sending { $0.enumerationProtection = isProtected }
    let squatter = try await scene.signUp("new@example.com", "known to eve")
    let user = try await scene.signUp()
    try await change(user, to: "new@example.com", scene, outbox)
    #expect(try await scene.signIn("new@example.com").localId == user.localId)
    try await requireLost(squatter, scene)
    #expect(try await events("emailChanged", of: squatter.localId, scene).count == 1)
  }

  @Test(arguments: protections)
  func `an unverified account does not keep the way back from its address`(isProtected: Bool) async throws {
    let (scene, outbox) = Scene.sending { $0.enumerationProtection = isProtected }
    let user = try await scene.signUp()
    try await verify(user, scene, outbox)
    try await change(user, to: "eve@example.com", scene, outbox)
    let back = try await scene.message(.recoverEmail, in: outbox, to: "ada@example.com")
    let squatter = try await scene.signUp("ada@example.com", "known to eve")
    _ = try await scene.apply(back.code)
    #expect(try await scene.signIn().localId == user.localId)
    try await requireLost(squatter, scene)
  }

  @Test func `an account loses an address, and keeps its other ways to sign in`() async throws {
    let pager = Pager()
    let (scene, outbox) = Scene.sending { $0.textDelivery = pager }
    let squatter = try await scene.signUp("new@example.com", "known to eve")
    let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number)).sessionInfo
    _ = try await scene.backend.answer(
      SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .link, of: squatter.idToken))
    try await change(scene.signUp(), to: "new@example.com", scene, outbox)
    let account = try await scene.backend.account(.uid(squatter.localId, tenantID: nil))
    #expect(account.email == nil && !account.isEmailVerified && account.signInMethods == ["phone"])
  }

  @Test(arguments: protections)
  func `an account that has proved its address keeps it`(isProtected: Bool) async throws {
    let (scene, outbox) = Scene.sending { $0.enumerationProtection = isProtected }
    let user = try await scene.signUp()
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "new@example.com"
    }
    let code = try await scene.message(.verifyAndChangeEmail, in: outbox).code
    try await verify(scene.signUp("new@example.com", "of another person"), scene, outbox)
    await expectRefusal("EMAIL_EXISTS") { try await scene.apply(code) }
    _ = try await scene.signIn("new@example.com", "of another person")
  }

  /// Its owner signs in to it instead (decision 95), and loses nothing that is in it.
  @Test func `a link with a session takes no address away`() async throws {
    let (scene, outbox) = Scene.sending()
    let other = try await scene.signUp()
    let user = try await scene.signUpAnonymously()
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    let link = outbox.code
    await expectRefusal("EMAIL_EXISTS") {
      try await scene.backend.answer(
        SignInWithEmailLink(email: "ada@example.com", oobCode: link, linkingTo: user.idToken))
    }
    let answer = try await scene.backend.answer(SignInWithEmailLink(email: "ada@example.com", oobCode: link))
    #expect(answer.localId == other.localId)
  }

  // MARK: An account that is moved to another person's address

  @Test(arguments: OwnershipTests.Proof.allCases)
  func `a factor that is older than the address does not keep the owner of the mailbox out`(
    _ proof: OwnershipTests.Proof
  ) async throws {
    let (identities, outbox) = try Self.identities()
    let scene = identities.scene
    let stranger = try await accountWithFactor("eve@example.com", scene, outbox)
    try await change(stranger, to: "ada@example.com", scene, outbox)
    try await prove(proof, identities, outbox)
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.uid == stranger.uid && account.secondFactors.isEmpty)
    #expect(try await events("secondFactorWithdrawn", of: stranger.uid, scene).count == 1)
  }

  @Test func `recovery codes that are older than the address end with its factors`() async throws {
    let (identities, outbox) = try Self.identities()
    let scene = identities.scene
    let stranger = try await accountWithFactor("eve@example.com", scene, outbox)
    let codes = try await scene.backend.answer(MakeRecoveryCodes(idToken: stranger.idToken)).recoveryCodes
    try await change(stranger, to: "ada@example.com", scene, outbox)
    try await prove(.reset, identities, outbox)
    _ = try await scene.enroll(try await scene.signIn("ada@example.com", "battery staple").idToken)
    let error = await expectRefusal(.secondFactorRequired) {
      try await scene.signIn("ada@example.com", "battery staple")
    }
    let pending = try #require(error?.pendingSignIn)
    await expectRefusal("INVALID_CODE") {
      try await scene.backend.answer(FinalizeMfaSignIn(pending.credential, recoveryCode: try #require(codes.first)))
    }
  }

  @Test(arguments: OwnershipTests.Proof.allCases)
  func `no mailbox takes away a factor that was enrolled with its address, or before a change that was taken back`(
    _ proof: OwnershipTests.Proof
  ) async throws {
    for isTakenBack in [false, true] {
      let (identities, outbox) = try Self.identities()
      let scene = identities.scene
      let user = try await accountWithFactor("ada@example.com", scene, outbox)
      if isTakenBack {
        try await change(user, to: "eve@example.com", scene, outbox)
        _ = try await scene.apply(try await scene.message(.recoverEmail, in: outbox, to: "ada@example.com").code)
      }
      await #expect(throws: AuthError.self, "\(isTakenBack)") {
        try await prove(proof, identities, outbox)
        try await scene.signIn("ada@example.com", "battery staple")
      }
      let account = try await scene.backend.account(AccountName("ada@example.com"))
      #expect(account.secondFactors.count == 1, "\(isTakenBack)")
    }
  }

  @Test func `a factor that was enrolled after the change stays`() async throws {
    let (identities, outbox) = try Self.identities()
    let scene = identities.scene
    try await change(scene.signUp("old@example.com"), to: "ada@example.com", scene, outbox)
    _ = try await scene.enroll(try await scene.signIn("ada@example.com").idToken)
    try await prove(.reset, identities, outbox)
    #expect(try await scene.backend.account(AccountName("ada@example.com")).secondFactors.count == 1)
  }

  @Test func `no mailbox takes away an administrator's factor that is older than the address`() async throws {
    let (identities, outbox) = try Self.identities()
    let scene = identities.scene
    let user = try await scene.signUp("old@example.com")
    try await verify(user, scene, outbox)
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "ada@example.com"
    }
    var edit = UpdateAccount(localId: user.localId)
    edit.mfa = .init(enrollments: [CreateAccount.PhoneFactor(phoneInfo: "+12025550124")])
    _ = try await scene.backend.answer(edit)
    _ = try await scene.apply(outbox.code)
    try await prove(.reset, identities, outbox)
    #expect(try await scene.backend.account(AccountName("ada@example.com")).secondFactors.count == 1)
  }

  @Test func `a reset ends the phones and identities that are older than the address`() async throws {
    let (identities, outbox) = try Self.identities()
    let scene = identities.scene
    let stranger = try await scene.signUp("eve@example.com")
    try await verify(stranger, scene, outbox)
    _ = try await identities.signIn(identities.credential("eve"), linkingTo: stranger.idToken)
    try await change(stranger, to: "ada@example.com", scene, outbox)
    try await prove(.reset, identities, outbox)
    #expect(try await scene.backend.account(AccountName("ada@example.com")).signInMethods == ["password"])
  }

  // MARK: "Not me"

  @Test func `the message of a change says that another person's account may be moved, and has a second link`()
    async throws
  {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp("eve@example.com")
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "ada@example.com"
    }
    let message = try #require(outbox.messages.last)
    #expect(message.text.revealed.contains("another person"))
    // The account has not proved its own address.
    #expect(message.text.revealed.contains("***") && !message.text.revealed.contains("eve@example.com"))
    let notMe = try Self.notMe(message)
    #expect(notMe != message.code)
    #expect(try await scene.backend.answer(ResetPassword(oobCode: notMe)).email == "ada@example.com")
  }

  @Test func `the second link of a change ends it before it is made`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp("eve@example.com")
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "ada@example.com"
    }
    let message = try #require(outbox.messages.last)
    _ = try await scene.apply(try Self.notMe(message))
    await expectRefusal("INVALID_OOB_CODE") { try await scene.apply(message.code) }
    #expect(try await scene.signIn("eve@example.com").localId == user.localId)
    await expectRefusal("INVALID_OOB_CODE") { try await scene.apply(try Self.notMe(message)) }
  }

  @Test func `the second link of a change takes the address away from the account after it`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await accountWithFactor("eve@example.com", scene, outbox)
    try await change(user, to: "ada@example.com", scene, outbox)
    let message = try #require(outbox.messages.last { $0.type == .verifyAndChangeEmail })
    let back = try await scene.message(.recoverEmail, in: outbox, to: "eve@example.com")
    _ = try await scene.apply(try Self.notMe(message))
    // The address is free for its owner, and the account goes back to the owner of the former address.
    let owner = try await scene.signUp("ada@example.com", "battery staple")
    #expect(owner.localId != user.uid)
    _ = try await scene.apply(back.code)
    #expect(try await scene.backend.account(AccountName("eve@example.com")).uid == user.uid)
  }

  // MARK: Taking a change back

  /// A thief of a session who moves the account and then resets the password looks like an owner who does.
  @Test func `the former address takes a change back after the new one has reset the password`() async throws {
    let (identities, outbox) = try Self.identities()
    let scene = identities.scene
    let user = try await scene.signUp("old@example.com")
    try await verify(user, scene, outbox)
    try await change(user, to: "ada@example.com", scene, outbox)
    let back = try await scene.message(.recoverEmail, in: outbox, to: "old@example.com")
    try await prove(.reset, identities, outbox)
    _ = try await scene.apply(back.code)
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("old@example.com", "battery staple") }
    #expect(try await scene.backend.account(AccountName("old@example.com")).uid == user.localId)
  }

  // MARK: The scene

  private static func identities() throws -> (IdentityScene, Outbox) {
    let outbox = Outbox()
    return (try IdentityScene(trusted: true) { $0.delivery = outbox }, outbox)
  }

  private static func notMe(_ message: OutgoingMessage) throws -> Secret {
    let link = message.text.revealed.split(separator: "\n").last { $0.hasPrefix("http") }
    let url = try #require(link.flatMap { ActionCodeURL(link: String($0)) })
    #expect(url.operation == .recoverEmail)
    return Secret(try #require(url.code))
  }

  private func verify(_ user: SignInResponse, _ scene: Scene, _ outbox: Outbox) async throws {
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.apply(try await scene.message(.verifyEmail, in: outbox).code)
  }

  /// An account with a verified address and an authenticator app.
  private func accountWithFactor(
    _ email: String, _ scene: Scene, _ outbox: Outbox
  ) async throws -> (uid: String, idToken: Secret) {
    let user = try await scene.signUp(email)
    try await verify(user, scene, outbox)
    return (user.localId, try await scene.enroll(user.idToken).idToken)
  }

  private func change(
    _ user: SignInResponse, to email: String, _ scene: Scene, _ outbox: Outbox
  ) async throws {
    try await change((user.localId, user.idToken), to: email, scene, outbox)
  }

  /// Asks for a change of the address, whose message's recipient follows the link.
  private func change(
    _ user: (uid: String, idToken: Secret), to email: String, _ scene: Scene, _ outbox: Outbox
  ) async throws {
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = email
    }
    let message = try await scene.message(.verifyAndChangeEmail, in: outbox, to: email)
    _ = try await scene.apply(message.code)
  }

  /// The owner of `ada@example.com` lets themselves in.
  private func prove(_ proof: OwnershipTests.Proof, _ identities: IdentityScene, _ outbox: Outbox) async throws {
    let scene = identities.scene
    switch proof {
    case .reset:
      try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
      _ = try await scene.backend.answer(ResetPassword(oobCode: outbox.code, newPassword: Secret("battery staple")))
    case .link:
      try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
      _ = try await scene.backend.answer(SignInWithEmailLink(email: "ada@example.com", oobCode: outbox.code))
    case .identity:
      let claims: JSONObject = ["email": "ada@example.com", "email_verified": true]
      _ = try await identities.signIn(identities.credential("ada", claims))
    }
  }

  /// Requires that an account has lost its address, with the sign-in by password and the sessions.
  private func requireLost(_ user: SignInResponse, _ scene: Scene) async throws {
    let account = try await scene.backend.account(.uid(user.localId, tenantID: nil))
    #expect(account.email == nil && !account.isEmailVerified && account.signInMethods == ["anonymous"])
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
  }

  private func events(_ kind: JSONValue, of uid: String, _ scene: Scene) async throws -> [JSONObject] {
    await scene.backend.settle()
    return try scene.events(in: "security").filter { $0["event"] == kind && $0["uid"]?.string == uid }
  }
}

extension Scene {
  @discardableResult
  func apply(_ code: Secret) async throws -> Update.Response {
    try await backend.answer(Update(oobCode: code))
  }

  /// The latest message of a type to an address, when it has come.
  func message(
    _ type: ActionCodeType, in outbox: Outbox, to recipient: String
  ) async throws -> OutgoingMessage {
    while true {
      if let message = outbox.messages.last(where: { $0.type == type && $0.recipient == recipient }) { return message }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// Enrolls an authenticator app.
  func enroll(_ idToken: Secret) async throws -> SecondFactorTokens {
    let begun = try await backend.answer(StartMfaEnrollment(idToken: idToken))
    let session = try #require(begun.totpSessionInfo)
    let secret = try #require(Base32.decode(session.sharedSecretKey.revealed))
    let step = OneTimePassword.step(at: Int64(clock.now().wall))
    let password = try OneTimePassword.password(SecretBytes(secret), step: step)
    let proof = TotpVerificationInfo(sessionInfo: session.sessionInfo, verificationCode: password)
    return try await backend.answer(FinalizeMfaEnrollment(idToken: idToken, displayName: nil, proof))
  }
}
