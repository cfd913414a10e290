import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The limits of sign-ups and messages of one network.
struct NetworkLimitTests {
  private static let tooMany = "TOO_MANY_ATTEMPTS_TRY_LATER"
  private static let network = Caller(address: "192.0.2.1")

  private static func limited(_ adjust: (inout LocalOptions) -> Void = { _ in }) -> (scene: Scene, outbox: Outbox) {
    Scene.sending {
      $0.signUpThrottle = Throttle(attempts: 3, window: .seconds(3600))
      $0.networkMessageThrottle = Throttle(attempts: 3, window: .seconds(3600))
      adjust(&$0)
    }
  }

  private static func signUp(_ scene: Scene, from address: String?) async throws(AuthError) {
    _ = try await scene.backend.backend(for: Caller(address: address)).answer(SignUp())
  }

  @Test func `a network creates a limited number of accounts in a time, in whatever spelling`() async throws {
    let (scene, _) = Self.limited()
    for address in ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"] { try await Self.signUp(scene, from: address) }
    let refusal = await expectRefusal(Self.tooMany) { try await Self.signUp(scene, from: "192.0.2.1") }
    #expect(refusal?.retryAfter == .seconds(3600))
    for last in 1...3 { try await Self.signUp(scene, from: "2001:db8::\(last)") }
    await expectRefusal(Self.tooMany) { try await Self.signUp(scene, from: "2001:db8::ffff:1") }
    try await Self.signUp(scene, from: "2001:db8:0:1::1")
    try await Self.signUp(scene, from: "192.0.2.2")
    scene.clock.advance(by: 3600)
    try await Self.signUp(scene, from: "192.0.2.1")
  }

  @Test func `this machine, an unknown address and a proxy's have no limit`() async throws {
    let (scene, _) = Self.limited()
    var proxy = Caller(address: "10.0.0.1")
    proxy.isShared = true
    for caller in [Caller(), Caller(address: "127.0.0.1"), Caller(address: "::1"), proxy] {
      for _ in 1...5 { _ = try await scene.backend.backend(for: caller).answer(SignUp()) }
    }
  }

  @Test func `by default there is no limit`() async throws {
    let scene = Scene()
    for _ in 1...200 { try await Self.signUp(scene, from: "192.0.2.1") }
  }

  @Test func `every way to create an account counts, and a sign-in does not`() async throws {
    let pager = Pager()
    let identities = try IdentityScene(trusted: true) {
      $0.textDelivery = pager
      $0.signUpThrottle = Throttle(attempts: 4, window: .seconds(3600))
    }
    let scene = identities.scene
    let backend = scene.backend.backend(for: Self.network)
    func phone(_ number: String) async throws {
      let session = try await scene.backend.answer(SendVerificationCode(phoneNumber: number)).sessionInfo
      _ = try await backend.answer(SignInWithPhoneNumber(.code(pager.code, sessionInfo: session), .signUpOrIn))
    }
    func identity(_ subject: String) async throws {
      _ = try await backend.answer(SignInWithIdp(identities.credential(subject)))
    }
    func password(_ email: String) async throws {
      _ = try await backend.answer(SignUp(email: email, password: Secret("correct horse")))
    }
    try await password("ada@example.com")
    try await phone("+12025550101")
    try await identity("u1")
    _ = try await backend.answer(SignUp())
    await expectRefusal(Self.tooMany) { try await password("bob@example.com") }
    await expectRefusal(Self.tooMany) { try await phone("+12025550102") }
    await expectRefusal(Self.tooMany) { try await identity("u2") }
    await expectRefusal(Self.tooMany) { try await backend.answer(SignUp()) }
    // Accounts that are there sign in.
    try await phone("+12025550101")
    try await identity("u1")
    _ = try await backend.answer(SignInWithPassword(email: "ada@example.com", password: Secret("correct horse")))
  }

  @Test func `a link that would create an account counts, and is not used up when it is refused`() async throws {
    let (scene, outbox) = Self.limited { $0.signUpThrottle.attempts = 1 }
    try await Self.signUp(scene, from: "192.0.2.1")
    try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    func signIn(_ caller: Caller) async throws(AuthError) -> SignInResponse {
      try await scene.backend.backend(for: caller)
        .answer(SignInWithEmailLink(email: "ada@example.com", oobCode: outbox.code))
    }
    await expectRefusal(Self.tooMany) { try await signIn(Self.network) }
    #expect(try await signIn(Caller(address: "192.0.2.2")).isNewUser == true)
  }

  @Test func `a sign-up above the limit does not tell whether an address is taken`() async throws {
    let (scene, _) = Self.limited { $0.signUpThrottle.attempts = 1 }
    try await Self.signUp(scene, from: "192.0.2.1")
    try await scene.signUp()
    await expectRefusal(Self.tooMany) {
      try await scene.backend.backend(for: Self.network)
        .answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    }
  }

  @Test func `a network requests a limited number of messages, to whatever recipients`() async throws {
    let (scene, outbox) = Self.limited()
    func link(_ number: Int, _ caller: Caller) async throws(AuthError) {
      var call = SendOobCode(.emailSignIn)
      (call.email, call.continueUrl) = ("user\(number)@example.com", "http://localhost/app")
      _ = try await scene.backend.backend(for: caller).answer(call)
    }
    for number in 1...3 { try await link(number, Self.network) }
    let refusal = await expectRefusal(Self.tooMany) { try await link(4, Self.network) }
    #expect(refusal?.retryAfter == .seconds(3600) && refusal?.email == "user4@example.com")
    #expect(outbox.messages.count == 3)
    try await link(4, Caller(address: "192.0.2.2"))
    for number in 5...9 { try await link(number, Caller(address: "127.0.0.1")) }
    scene.clock.advance(by: 3600)
    try await link(4, Self.network)
  }

  @Test func `messages of an account's own user are not counted for the network`() async throws {
    let (scene, outbox) = Self.limited()
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: try #require(outbox.messages.last?.code)))
    let backend = scene.backend.backend(for: Self.network)
    var call = SendOobCode(.verifyEmail)
    call.idToken = user.idToken
    for _ in 1...5 { _ = try await backend.answer(call) }
  }

  /// The calls that a network may make a limited number of times, each for another account or recipient.
  enum Limited: CaseIterable { case signUps, messages, passwords, answers }

  @Test(arguments: Limited.allCases)
  func `the networks of one IPv6 site have limits together`(_ limited: Limited) async throws {
    let (scene, _) = Self.limited {
      $0.enumerationProtection = true
      $0.addressThrottle = Throttle(attempts: 3, window: .seconds(3600))
    }
    try await scene.signUp()
    func isRefused(_ number: Int, from address: String) async -> Bool {
      let backend = scene.backend.backend(for: Caller(address: address))
      let (email, password) = ("u\(number)@example.com", Secret("wrong horse"))
      do throws(AuthError) {
        switch limited {
        case .signUps: _ = try await backend.answer(SignUp())
        case .messages:
          var call = SendOobCode(.emailSignIn)
          (call.email, call.continueUrl) = (email, "http://localhost/app")
          _ = try await backend.answer(call)
        case .passwords: _ = try await backend.answer(SignInWithPassword(email: email, password: password))
        case .answers: _ = try await backend.answer(SignUp(email: "ada@example.com", password: password))
        }
        return false
      } catch { return error.serverCode == Self.tooMany }
    }
    // 12 in each of four networks of 56 bits; 48 in the one of 48 bits.
    var number = 0
    for part in 1...4 {
      for own in 0..<12 {
        number += 1
        let isTooMany = await isRefused(number, from: "2001:db8:77:\(part)\(String(own, radix: 16))0::1")
        #expect(!isTooMany, "\(part) \(own)")
      }
      if part < 4 { #expect(await isRefused(1000 + part, from: "2001:db8:77:\(part)ff::1")) }
    }
    #expect(await isRefused(2001, from: "2001:db8:77:900::1"))
    #expect(await !isRefused(2002, from: "2001:db8:78:900::1"))
  }

  @Test func `one IPv6 site uses up half of the messages to a recipient`() async throws {
    let (scene, _) = Scene.sending { $0.messageThrottle = Throttle(attempts: 8, window: .seconds(3600)) }
    try await scene.signUp()
    func reset(_ address: String) async throws(AuthError) {
      var call = SendOobCode(.passwordReset)
      call.email = "ada@example.com"
      _ = try await scene.backend.backend(for: Caller(address: address)).answer(call)
    }
    for part in 1...4 { try await reset("2001:db8:77:\(part)00::1") }
    await expectRefusal(Self.tooMany) { try await reset("2001:db8:77:500::1") }
    try await reset("2001:db8:78::1")
  }
}
