import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// A change that gives a session new tokens is not a sign-in: it leaves the session as old as it is.
struct RecentSignInTests {
  enum Change: CaseIterable, Sendable { case password, address, linkedPassword, phone, otherPhone, factor, withdrawal }

  private let outbox = Outbox()
  private let pager = Pager()

  @Test(arguments: Change.allCases, [false, true])
  func `a session is not recent again after a change`(_ change: Change, rotates: Bool) async throws {
    let scene = Scene { [outbox, pager] in
      ($0.delivery, $0.textDelivery, $0.rotatesRefreshTokens) = (outbox, pager, rotates)
    }
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: outbox.code))
    var idToken = user.idToken
    switch change {
    case .linkedPassword:
      _ = try await scene.update(idToken) { $0.deleteProvider = ["password"] }
      try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
      let call = SignInWithEmailLink(email: "ada@example.com", oobCode: outbox.code)
      idToken = try await scene.backend.answer(call).idToken
    case .otherPhone: idToken = try await phone(PhoneScene.number, idToken, scene)
    case .withdrawal: idToken = try await enroll(idToken, scene)
    default: break
    }
    scene.clock.advance(by: 200)
    let changed = try await make(change, idToken, scene)
    scene.clock.advance(by: 99)
    // Refreshing is no sign-in either.
    let refreshed = try await scene.refresh(changed.refreshToken)
    let call = Update(idToken: refreshed.idToken)
    var other = call
    other.password = Secret("still recent")
    scene.clock.advance(by: 2)
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") { [other] in try await scene.backend.answer(other) }
  }

  private func make(
    _ change: Change, _ idToken: Secret, _ scene: Scene
  ) async throws -> (idToken: Secret, refreshToken: Secret) {
    switch change {
    case .password, .address:
      let answer = try await scene.update(idToken) {
        if change == .password { $0.password = Secret("battery staple") } else { $0.email = "countess@example.com" }
      }
      return (try #require(answer.idToken), try #require(answer.refreshToken))
    case .linkedPassword:
      let call = SignUp(email: "ada@example.com", password: Secret("battery staple"), linkingTo: idToken)
      let answer = try await scene.backend.answer(call)
      return (answer.idToken, answer.refreshToken)
    case .phone, .otherPhone:
      let number = change == .phone ? PhoneScene.number : "+12025550199"
      let answer = try await link(number, idToken, scene)
      return (try #require(answer.idToken), try #require(answer.refreshToken))
    case .factor:
      let answer = try await finish(idToken, scene)
      return (answer.idToken, answer.refreshToken)
    case .withdrawal:
      let id = try #require(try await scene.lookUp(idToken).mfaInfo?.first?.mfaEnrollmentId)
      let answer = try await scene.backend.answer(WithdrawMfa(idToken: idToken, mfaEnrollmentId: id))
      return (answer.idToken, answer.refreshToken)
    }
  }

  private func phone(_ number: String, _ idToken: Secret, _ scene: Scene) async throws -> Secret {
    try #require(try await link(number, idToken, scene).idToken)
  }

  private func link(_ number: String, _ idToken: Secret, _ scene: Scene) async throws -> SignInWithPhoneNumber.Response
  {
    let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: number)).sessionInfo
    return try await scene.backend.answer(
      SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .update, of: idToken))
  }

  private func enroll(_ idToken: Secret, _ scene: Scene) async throws -> Secret {
    try await finish(idToken, scene).idToken
  }

  private func finish(_ idToken: Secret, _ scene: Scene) async throws -> SecondFactorTokens {
    let begun = try #require(try await scene.backend.answer(StartMfaEnrollment(idToken: idToken)).totpSessionInfo)
    let secret = SecretBytes(try #require(Base32.decode(begun.sharedSecretKey.revealed)))
    let password = try OneTimePassword.password(
      secret, step: OneTimePassword.step(at: Int64(scene.clock.now().wall)))
    let proof = TotpVerificationInfo(sessionInfo: begun.sessionInfo, verificationCode: password)
    return try await scene.backend.answer(FinalizeMfaEnrollment(idToken: idToken, displayName: nil, proof))
  }
}
