import Gatehouse
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Phones as second factors, through the client.
struct PhoneFactorTests {
  /// A user who has a phone as second factor.
  private struct Enrolled: Sendable {
    let base: SecondFactorScene
    let pager: Pager
    let phones: PhoneAuthProvider

    init(_ adjust: @escaping (inout LocalOptions) -> Void = { _ in }) async throws {
      let pager = Pager()
      base = try await SecondFactorScene {
        $0.textDelivery = pager
        adjust(&$0)
      }
      self.pager = pager
      phones = PhoneAuthProvider.provider(auth: base.auth)
      try await enroll()
    }

    func enroll(_ number: String = PhoneScene.number) async throws {
      let session = try await base.user.multiFactor.session()
      let id = try await phones.verifyPhoneNumber(number, multiFactorSession: session)
      try await base.user.multiFactor.enroll(with: assertion(id, pager.code.revealed), displayName: "mobile")
    }

    func assertion(_ id: String, _ code: String) -> MultiFactorAssertion {
      PhoneMultiFactorGenerator.assertion(with: phones.credential(withVerificationID: id, verificationCode: code))
    }
  }

  @Test func `a phone is enrolled, asked for, and ends a sign-in`() async throws {
    let scene = try await Enrolled()
    let factor = try #require(scene.base.user.multiFactor.enrolledFactors.first)
    #expect(factor.factorID == "phone" && factor.phoneNumber == PhoneScene.number && factor.displayName == "mobile")
    let resolver = try await scene.base.resolver()
    #expect(resolver.hints.map(\.phoneNumber) == ["+*******0123"])
    let id = try await scene.phones.verifyPhoneNumber(with: resolver.hints[0], multiFactorSession: resolver.session)
    let wrong = scene.assertion(id, PhoneScene.wrong(scene.pager.code).revealed)
    await expectRefusal("INVALID_CODE") { _ = try await resolver.resolveSignIn(with: wrong) }
    let result = try await resolver.resolveSignIn(with: scene.assertion(id, scene.pager.code.revealed))
    #expect(try await result.user.getIDTokenResult().signInSecondFactor == "phone")
  }

  @Test func `a person who has only the password cannot use up the texts of a network that has shown the factor`()
    async throws
  {
    let scene = try await Enrolled { $0.messageThrottle.attempts = 3 }
    let factor = try #require(scene.base.user.multiFactor.enrolledFactors.first)
    /// Has a code sent, after a sign-in with the password.
    func text(_ caller: Caller) async throws -> (CallerBackend, pending: Secret, session: Secret) {
      let backend = scene.base.scene.backend.backend(for: caller)
      let error = await expectRefusal(.secondFactorRequired) {
        try await backend.answer(SignInWithPassword(email: "ada@example.com", password: Secret("correct horse")))
      }
      let pending = try #require(error?.pendingSignIn).credential
      let sent = try await backend.answer(StartMfaSignIn(pending, factor: factor.uid))
      return (backend, pending, sent.phoneResponseInfo.sessionInfo)
    }
    let home = Caller(address: "198.51.100.1")
    let (backend, pending, session) = try await text(home)
    let proof = PhoneVerificationInfo(sessionInfo: session, code: scene.pager.code)
    _ = try await backend.answer(FinalizeMfaSignIn(pending, proof))
    for number in 1...2 { _ = try await text(Caller(address: "192.0.2.\(number)")) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { _ = try await text(Caller(address: "192.0.2.3")) }
    for _ in 1...3 { _ = try await text(home) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { _ = try await text(home) }
  }

  @Test func `strangers cannot use up the texts of a sign-in that waits`() async throws {
    let scene = try await Enrolled { $0.messageThrottle.attempts = 3 }
    for _ in 1...2 { _ = try await scene.phones.verifyPhoneNumber(PhoneScene.number) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      _ = try await scene.phones.verifyPhoneNumber(PhoneScene.number)
    }
    // The message that verified the user's address counted for the address.
    let resolver = try await scene.base.resolver()
    for _ in 1...3 {
      _ = try await scene.phones.verifyPhoneNumber(with: resolver.hints[0], multiFactorSession: resolver.session)
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      _ = try await scene.phones.verifyPhoneNumber(with: resolver.hints[0], multiFactorSession: resolver.session)
    }
  }

  @Test func `a code for one purpose is good for no other`() async throws {
    let scene = try await Enrolled()
    let signIn = try await scene.phones.verifyPhoneNumber(PhoneScene.number)
    let code = scene.pager.code.revealed
    let resolver = try await scene.base.resolver()
    await expectRefusal("INVALID_SESSION_INFO") {
      _ = try await resolver.resolveSignIn(with: scene.assertion(signIn, code))
    }
    let second = try await scene.phones.verifyPhoneNumber(with: resolver.hints[0], multiFactorSession: resolver.session)
    await expectRefusal("INVALID_SESSION_INFO") {
      let credential = scene.phones.credential(
        withVerificationID: second, verificationCode: scene.pager.code.revealed)
      _ = try await scene.base.auth.signIn(with: credential)
    }
  }

  @Test func `the same phone is enrolled once`() async throws {
    let scene = try await Enrolled()
    await expectRefusal("SECOND_FACTOR_EXISTS") { try await scene.enroll() }
    try await scene.enroll("+12025550124")
  }

  @Test func `sessions and credentials of the other kind are refused before anything is sent`() async throws {
    let scene = try await Enrolled()
    let resolver = try await scene.base.resolver()
    let enrolling = try await scene.base.user.multiFactor.session()
    let sent = scene.pager.texts.count
    await expectRefusal(.invalidArgument) {
      _ = try await scene.phones.verifyPhoneNumber(with: resolver.hints[0], multiFactorSession: enrolling)
    }
    await expectRefusal(.invalidArgument) {
      _ = try await scene.phones.verifyPhoneNumber("+12025550125", multiFactorSession: resolver.session)
    }
    await expectRefusal(.invalidArgument) {
      _ = try await TOTPMultiFactorGenerator.generateSecret(with: resolver.session)
    }
    let other = EmailAuthProvider.credential(withEmail: "a@example.com", password: "x")
    await expectRefusal(.invalidArgument) {
      _ = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: other))
    }
    await expectRefusal(.invalidArgument) { try await scene.base.user.updatePhoneNumber(other) }
    #expect(scene.pager.texts.count == sent)
  }
}
