import Gatehouse
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Who owns an account: a stranger prepares one with the address of another person, who then proves the address.
struct OwnershipTests {
  /// A proof of an address that lets its owner in without the account's own credentials.
  enum Proof: CaseIterable, Sendable { case reset, link, identity }

  /// What a stranger has left of the ways to sign in.
  enum Preparation: CaseIterable, Sendable { case password, everything, nothing }

  private let identities: IdentityScene
  private let outbox = Outbox()
  private let pager = Pager()
  private var scene: Scene { identities.scene }

  init() throws {
    identities = try IdentityScene(trusted: true) { [outbox, pager] in
      $0.delivery = outbox
      $0.textDelivery = pager
    }
  }

  // MARK: A proof that lets in

  @Test(arguments: Proof.allCases, Preparation.allCases)
  func `who proves an unverified address without a session owns the account, and all else ends`(
    _ proof: Proof, _ preparation: Preparation
  ) async throws {
    let stranger = try await prepare(preparation)
    let taking = try await pendingChange(of: stranger)
    try await prove(proof)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(stranger.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(stranger.idToken) }
    await expectRefusal("INVALID_OOB_CODE") { try await apply(taking) }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "known to eve") }
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.uid == stranger.localId && account.isEmailVerified && account.phoneNumber == nil)
    let way =
      switch proof {
      case .reset: "password"
      case .link: "emailLink"
      case .identity: "oidc.example"
      }
    #expect(account.signInMethods == [way])
  }

  @Test(arguments: Proof.allCases)
  func `a code that takes a change back ends with what was there before`(_ proof: Proof) async throws {
    let stranger = try await scene.signUp("eve@example.com", "known to eve")
    _ = try await scene.update(stranger.idToken) { $0.email = "ada@example.com" }
    let code = try await scene.notice(in: outbox).code
    try await prove(proof)
    await expectRefusal("INVALID_OOB_CODE") { try await apply(code) }
    #expect(try await scene.backend.account(AccountName("ada@example.com")).uid == stranger.localId)
  }

  @Test func `a link with a living session ends nothing`() async throws {
    let user = try await scene.signUp()
    let other = try await scene.signIn()
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    let call = SignInWithEmailLink(email: "ada@example.com", oobCode: outbox.code, linkingTo: user.idToken)
    _ = try await scene.backend.answer(call)
    _ = try await scene.refresh(user.refreshToken)
    _ = try await scene.refresh(other.refreshToken)
    try await scene.signIn()
  }

  // MARK: Verifying by mail

  @Test func `verifying an address ends the other codes, and no session and no way to sign in`() async throws {
    let user = try await scene.signUp()
    try await linkPhoneAndIdentity(user.idToken)
    let change = try await pendingChange(of: user)
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let reset = outbox.code
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await apply(outbox.code)
    await expectRefusal("INVALID_OOB_CODE") { try await apply(change) }
    await expectRefusal("INVALID_OOB_CODE") {
      try await scene.backend.answer(ResetPassword(oobCode: reset, newPassword: Secret("battery staple")))
    }
    _ = try await scene.refresh(user.refreshToken)
    try await scene.signIn()
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.isEmailVerified && account.signInMethods == ["password", "phone", "oidc.example"])
  }

  @Test(arguments: [ActionCodeType.verifyEmail, .verifyAndChangeEmail])
  func `a code that a session has asked for is not good once that session is over`(
    _ type: ActionCodeType
  ) async throws {
    let user = try await scene.signUp()
    let other = try await scene.signIn()
    try await scene.send(type) {
      $0.idToken = user.idToken
      if type == .verifyAndChangeEmail { $0.newEmail = "countess@example.com" }
    }
    let code = outbox.code
    let session = try #require(try UnverifiedToken(user.idToken.revealed)["sid"]?.string)
    _ = try await scene.backend.answer(RevokeSessions(idToken: other.idToken, sessionId: session))
    await expectRefusal("INVALID_OOB_CODE") { try await apply(code) }
    await expectRefusal("INVALID_OOB_CODE") { try await scene.backend.answer(ResetPassword(oobCode: code)) }
  }

  @Test func `a reset ends the phones and identities that are older than the verification`() async throws {
    let stranger = try await scene.signUp()
    try await linkPhoneAndIdentity(stranger.idToken)
    // A sign-in with the identity does not make it younger.
    _ = try await identities.signIn(identities.credential("eve"))
    try await scene.send(.verifyEmail) { $0.idToken = stranger.idToken }
    _ = try await apply(outbox.code)
    try await prove(.reset)
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.signInMethods == ["password"] && account.phoneNumber == nil)
  }

  /// A way in which an address becomes verified while a session lives.
  enum Verification: CaseIterable, Sendable { case message, identity, link }

  @Test(arguments: Verification.allCases, [true, false])
  func `a reset ends the phone that is older than the verification, however the address was verified`(
    _ verification: Verification, hasAddress: Bool
  ) async throws {
    guard hasAddress || verification != .message else { return }
    let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number)).sessionInfo
    let phone = SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .signUpOrIn, of: nil)
    let stranger = try await scene.backend.answer(phone)
    var idToken = try #require(stranger.idToken)
    if hasAddress {
      let call = SignUp(email: "ada@example.com", password: Secret("known to eve"), linkingTo: idToken)
      idToken = try await scene.backend.answer(call).idToken
    }
    switch verification {
    case .message:
      try await scene.send(.verifyEmail) { $0.idToken = idToken }
      _ = try await apply(outbox.code)
    case .identity:
      let claims: JSONObject = ["email": "ada@example.com", "email_verified": true]
      _ = try await identities.signIn(identities.credential("ada", claims), linkingTo: idToken)
    case .link:
      try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
      _ = try await scene.backend.answer(
        SignInWithEmailLink(email: "ada@example.com", oobCode: outbox.code, linkingTo: idToken))
    }
    #expect(try await scene.backend.account(AccountName("ada@example.com")).isEmailVerified)
    try await prove(.reset)
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.uid == stranger.localId && account.phoneNumber == nil, "\(account.signInMethods)")
  }

  @Test func `a reset keeps the phones and identities that are younger than the verification`() async throws {
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await apply(outbox.code)
    try await linkPhoneAndIdentity(user.idToken)
    try await prove(.reset)
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.signInMethods == ["password", "phone", "oidc.example"])
  }

  @Test func `the message says when and from where the account was made, and its second link empties the account`()
    async throws
  {
    let far = scene.backend.backend(for: Caller(address: "192.0.2.7"))
    let stranger = try await far.answer(SignUp(email: "ada@example.com", password: Secret("known to eve")))
    try await linkPhoneAndIdentity(stranger.idToken)
    scene.clock.advance(by: 60)
    try await scene.send(.verifyEmail) { $0.idToken = stranger.idToken }
    let message = try #require(outbox.messages.last)
    let text = message.text.revealed
    #expect(text.contains("2027-01-15T08:00:00Z") && text.contains("192.0.2.7"))
    _ = try await apply(message.code)
    let links = text.split(separator: "\n").filter { $0.hasPrefix("http") }
    #expect(links.count == 2 && links.first.map { $0 == message.link.revealed } == true)
    let notMe = try #require(links.last.flatMap { ActionCodeURL(link: String($0)) })
    #expect(notMe.operation == .recoverEmail)
    _ = try await apply(Secret(notMe.code ?? ""))
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(stranger.refreshToken) }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "known to eve") }
    let account = try await scene.backend.account(AccountName("ada@example.com"))
    #expect(account.signInMethods.isEmpty && account.phoneNumber == nil)
  }

  // MARK: The scene

  /// A stranger's account with another person's address.
  private func prepare(_ preparation: Preparation) async throws -> SignInResponse {
    let stranger = try await scene.signUp("ada@example.com", "known to eve")
    switch preparation {
    case .password: break
    case .everything: try await linkPhoneAndIdentity(stranger.idToken)
    case .nothing: _ = try await scene.update(stranger.idToken) { $0.deleteProvider = ["password"] }
    }
    return stranger
  }

  private func linkPhoneAndIdentity(_ idToken: Secret) async throws {
    _ = try await identities.signIn(identities.credential("eve"), linkingTo: idToken)
    let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number)).sessionInfo
    let call = SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .link, of: idToken)
    _ = try await scene.backend.answer(call)
  }

  /// Asks for a change of the address to a mailbox of the stranger.
  ///
  /// - Returns: The code of that change.
  private func pendingChange(of user: SignInResponse) async throws -> Secret {
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "eve@example.com"
    }
    return outbox.code
  }

  /// The owner of the address lets themselves in.
  private func prove(_ proof: Proof) async throws {
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

  private func apply(_ code: Secret) async throws -> Update.Response {
    try await scene.backend.answer(Update(oobCode: code))
  }
}
