import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Every kind of second factor, with every kind of proof: only the factor's own kind of proof ends a sign-in.
struct FactorKindTests {
  enum Factor: CaseIterable, Sendable { case app, phone, administratorsPhone, importedPhone }

  enum Proof: CaseIterable, Sendable {
    /// A one-time password that is computed from the app's secret.
    case password
    /// A one-time password that is computed from an empty secret, as everyone can.
    case passwordOfNoSecret
    /// A code that is sent to the phone.
    case code
  }

  private static let number = "+12025550124"
  private let scene: Scene
  private let pager: Pager

  init() {
    let pager = Pager()
    self.pager = pager
    scene = Scene { $0.textDelivery = pager }
  }

  @Test(arguments: Factor.allCases, Proof.allCases)
  func `a factor is proved in its own way only`(_ factor: Factor, _ proof: Proof) async throws {
    let secret = try await make(factor)
    let error = await expectRefusal(.secondFactorRequired) { try await scene.signIn() }
    let pending = try #require(error?.pendingSignIn)
    let id = try #require(pending.factors.first?.uid)
    func finish() async throws -> SecondFactorTokens {
      switch proof {
      case .password: try await end(pending, id, by: try password(of: secret ?? RandomBytes.make(20)))
      case .passwordOfNoSecret: try await end(pending, id, by: Self.passwordOfNoSecret(at: now))
      case .code: try await endByCode(pending, id)
      }
    }
    switch (factor, proof) {
    case (.app, .password), (.phone, .code), (.administratorsPhone, .code), (.importedPhone, .code):
      let token = try UnverifiedToken(try await finish().idToken.revealed)
      #expect(token["firebase"]?["sign_in_second_factor"]?.string == (factor == .app ? "totp" : "phone"))
    case (.app, .passwordOfNoSecret): await expectRefusal("INVALID_CODE") { try await finish() }
    default: await expectRefusal("MFA_ENROLLMENT_NOT_FOUND") { try await finish() }
    }
  }

  @Test func `a code does not prove a phone that was replaced since`() async throws {
    _ = try await make(.administratorsPhone)
    let error = await expectRefusal(.secondFactorRequired) { try await scene.signIn() }
    let pending = try #require(error?.pendingSignIn)
    let id = try #require(pending.factors.first?.uid)
    let sent = try await scene.backend.answer(StartMfaSignIn(pending.credential, factor: id))
    var replaced = CreateAccount.PhoneFactor(phoneInfo: "+12025550125")
    replaced.mfaEnrollmentId = id
    var call = UpdateAccount(localId: "ada")
    call.mfa = .init(enrollments: [replaced])
    _ = try await scene.backend.answer(call)
    let proof = PhoneVerificationInfo(sessionInfo: sent.phoneResponseInfo.sessionInfo, code: pager.code)
    await expectRefusal("INVALID_SESSION_INFO") {
      try await scene.backend.answer(FinalizeMfaSignIn(pending.credential, proof))
    }
  }

  @Test func `a code proves the factor that the call names, or none`() async throws {
    _ = try await make(.administratorsPhone)
    let error = await expectRefusal(.secondFactorRequired) { try await scene.signIn() }
    let pending = try #require(error?.pendingSignIn)
    let id = try #require(pending.factors.first?.uid)
    let sent = try await scene.backend.answer(StartMfaSignIn(pending.credential, factor: id))
    let proof = PhoneVerificationInfo(sessionInfo: sent.phoneResponseInfo.sessionInfo, code: pager.code)
    var call = FinalizeMfaSignIn(pending.credential, proof)
    call.mfaEnrollmentId = "another"
    await expectRefusal("INVALID_SESSION_INFO") { [call] in try await scene.backend.answer(call) }
  }

  @Test func `an empty secret has no one-time passwords`() throws {
    #expect(throws: AuthError.self) { try OneTimePassword.password(SecretBytes([]), step: 1) }
    #expect(throws: AuthError.self) { try OneTimePassword.step(of: "000000", SecretBytes([]), at: now) }
  }

  // MARK: The scene

  private var now: Int64 { Int64(scene.clock.now().wall) }

  /// Makes an account with one factor.
  ///
  /// - Returns: The secret of an app; `nil` for a phone.
  private func make(_ factor: Factor) async throws -> [UInt8]? {
    if factor == .importedPhone {
      var user = ImportedAccount(localId: "ada")
      (user.email, user.emailVerified, user.rawPassword) = ("ada@example.com", true, Secret("correct horse"))
      user.mfaInfo = [CreateAccount.PhoneFactor(phoneInfo: Self.number)]
      #expect(try await scene.backend.answer(ImportAccounts(users: [user])).error == nil)
      return nil
    }
    var call = CreateAccount(localId: "ada")
    (call.email, call.emailVerified, call.password) = ("ada@example.com", true, Secret("correct horse"))
    if factor == .administratorsPhone { call.mfaInfo = [CreateAccount.PhoneFactor(phoneInfo: Self.number)] }
    _ = try await scene.backend.answer(call)
    switch factor {
    case .app: return try await enrollApp()
    case .phone: try await enrollPhone()
    default: break
    }
    return nil
  }

  private func enrollApp() async throws -> [UInt8] {
    let idToken = try await scene.signIn().idToken
    let begun = try await scene.backend.answer(StartMfaEnrollment(idToken: idToken))
    let session = try #require(begun.totpSessionInfo)
    let secret = try #require(Base32.decode(session.sharedSecretKey.revealed))
    let proof = TotpVerificationInfo(sessionInfo: session.sessionInfo, verificationCode: try password(of: secret))
    _ = try await scene.backend.answer(FinalizeMfaEnrollment(idToken: idToken, displayName: nil, proof))
    scene.clock.advance(by: 60)  // The password of this period is used up.
    return secret
  }

  private func enrollPhone() async throws {
    let idToken = try await scene.signIn().idToken
    let begun = try await scene.backend.answer(StartMfaEnrollment(idToken: idToken, phoneNumber: Self.number))
    let session = try #require(begun.phoneSessionInfo)
    let proof = PhoneVerificationInfo(sessionInfo: session.sessionInfo, code: pager.code)
    _ = try await scene.backend.answer(FinalizeMfaEnrollment(idToken: idToken, displayName: nil, proof))
  }

  private func password(of secret: [UInt8]) throws -> String {
    try OneTimePassword.password(SecretBytes(secret), step: OneTimePassword.step(at: now))
  }

  /// HMAC with an empty key is HMAC with a key of one zero byte.
  private static func passwordOfNoSecret(at now: Int64) throws -> String {
    try OneTimePassword.password(SecretBytes([0]), step: OneTimePassword.step(at: now))
  }

  private func end(_ pending: PendingSignIn, _ id: String, by password: String) async throws -> SecondFactorTokens {
    try await scene.backend.answer(FinalizeMfaSignIn(pending.credential, factor: id, password: password))
  }

  private func endByCode(_ pending: PendingSignIn, _ id: String) async throws -> SecondFactorTokens {
    let sent = try await scene.backend.answer(StartMfaSignIn(pending.credential, factor: id))
    let proof = PhoneVerificationInfo(sessionInfo: sent.phoneResponseInfo.sessionInfo, code: pager.code)
    return try await scene.backend.answer(FinalizeMfaSignIn(pending.credential, proof))
  }
}
