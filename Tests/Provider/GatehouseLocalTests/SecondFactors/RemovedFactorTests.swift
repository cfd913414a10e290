import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Sessions whose second factor an administrator has removed, while another one is left.
struct RemovedFactorTests {
  private let scene: Scene
  private let pager: Pager

  init() {
    let pager = Pager()
    self.pager = pager
    scene = Scene { $0.textDelivery = pager }
  }

  /// Makes the account's phones its second factors, as an administrator.
  private func setFactors(_ numbers: [String: String]) async throws {
    var call = UpdateAccount(localId: "ada")
    call.mfa = .init(
      enrollments: numbers.sorted { $0.key < $1.key }.map { id, number in
        var factor = CreateAccount.PhoneFactor(phoneInfo: number)
        factor.mfaEnrollmentId = id
        return factor
      })
    _ = try await scene.backend.answer(call)
  }

  private func account() async throws {
    var call = CreateAccount(localId: "ada")
    (call.email, call.emailVerified, call.password) = ("ada@example.com", true, Secret("correct horse"))
    _ = try await scene.backend.answer(call)
    try await setFactors(["one": "+12025550123", "two": "+12025550124"])
  }

  private func pending() async throws -> PendingSignIn {
    try #require(await expectRefusal(.secondFactorRequired) { try await scene.signIn() }?.pendingSignIn)
  }

  private func signIn(by factor: String) async throws -> SecondFactorTokens {
    let pending = try await pending()
    let sent = try await scene.backend.answer(StartMfaSignIn(pending.credential, factor: factor))
    let proof = PhoneVerificationInfo(sessionInfo: sent.phoneResponseInfo.sessionInfo, code: pager.code)
    return try await scene.backend.answer(FinalizeMfaSignIn(pending.credential, proof))
  }

  /// The second factor in the claims after a refresh.
  private func claimed(_ refreshToken: Secret) async throws -> String? {
    let token = try UnverifiedToken(try await scene.refresh(refreshToken).idToken.revealed)
    let kind = token["firebase"]?["sign_in_second_factor"]?.string
    return kind.map { "\($0) \(token["firebase"]?["second_factor_identifier"]?.string ?? "")" }
  }

  @Test func `a session has not shown a factor that is gone`() async throws {
    try await account()
    let removed = try await signIn(by: "one"), kept = try await signIn(by: "two")
    try await setFactors(["two": "+12025550124"])
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.backend.answer(MakeRecoveryCodes(idToken: removed.idToken))
    }
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.backend.answer(WithdrawMfa(idToken: removed.idToken, mfaEnrollmentId: "two"))
    }
    #expect(try await claimed(removed.refreshToken) == nil)
    #expect(try await claimed(kept.refreshToken) == "phone two")
    _ = try await scene.backend.answer(MakeRecoveryCodes(idToken: kept.idToken))
  }

  @Test func `a session has not shown a factor that has another number since`() async throws {
    try await account()
    let changed = try await signIn(by: "one"), kept = try await signIn(by: "two")
    try await setFactors(["one": "+12025550125", "two": "+12025550124"])
    #expect(try await claimed(changed.refreshToken) == nil)
    #expect(try await claimed(kept.refreshToken) == "phone two")
  }

  @Test func `a session that has used a recovery code goes on with it`() async throws {
    try await account()
    let idToken = try await signIn(by: "one").idToken
    let codes = try await scene.backend.answer(MakeRecoveryCodes(idToken: idToken)).recoveryCodes
    let tokens = try await scene.backend.answer(
      FinalizeMfaSignIn(try await pending().credential, recoveryCode: try #require(codes.first)))
    try await setFactors(["two": "+12025550124"])
    #expect(try await claimed(tokens.refreshToken) == "recovery_code ")
    _ = try await scene.backend.answer(MakeRecoveryCodes(idToken: tokens.idToken))
  }
}
