import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// A lock-out that an attacker cannot use against the owner.
struct DevicesTests {
  private static func signIn(
    _ scene: Scene, _ caller: Caller, _ password: String = "correct horse", _ email: String = "ada@example.com"
  ) async throws(AuthError) -> SignInResponse {
    try await scene.backend.backend(for: caller).answer(SignInWithPassword(email: email, password: Secret(password)))
  }

  /// Ada's device, and others who have used up the tries.
  private static func attacked() async throws -> (Scene, Caller) {
    let scene = Scene { $0.throttle.attempts = 3 }
    let user = try await scene.signUp()
    let cookie = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
    for number in 1...3 {
      await expectRefusal("INVALID_PASSWORD") {
        try await signIn(scene, Caller(address: "192.0.2.\(number)"), "wrong horse")
      }
    }
    return (scene, Caller(address: "198.51.100.1", device: cookie))
  }

  @Test func `others' failures do not keep a device out that the account knows`() async throws {
    let (scene, ada) = try await Self.attacked()
    for stranger in [Caller(), Caller(address: "198.51.100.1"), Caller(device: Secret("nonsense"))] {
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await Self.signIn(scene, stranger) }
    }
    _ = try await Self.signIn(scene, ada)
    // Her sign-in gives the others no further tries.
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await Self.signIn(scene, Caller(), "wrong horse") }
  }

  @Test func `others cannot use up the messages of the owner`() async throws {
    let (scene, outbox) = Scene.sending { $0.messageThrottle = Throttle(attempts: 4, window: .seconds(100)) }
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: try #require(outbox.messages.last?.code)))
    scene.clock.advance(by: 100)
    let cookie = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
    func reset(_ caller: Caller, _ email: String = "ada@example.com") async throws(AuthError) {
      var call = SendOobCode(.passwordReset)
      call.email = email
      _ = try await scene.backend.backend(for: caller).answer(call)
    }
    for _ in 1...2 { try await reset(Caller(address: "192.0.2.1")) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(Caller(address: "192.0.2.1")) }
    for number in 2...3 { try await reset(Caller(address: "192.0.2.\(number)")) }
    for stranger in [Caller(), Caller(address: "198.51.100.1"), Caller(device: Secret("nonsense"))] {
      let refusal = await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(stranger) }
      #expect(refusal?.email == "ada@example.com" && refusal?.retryAfter == .seconds(100))
    }
    let ada = Caller(address: "198.51.100.1", device: cookie)
    for _ in 1...4 { try await reset(ada) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(ada) }
    for _ in 1...4 { try await scene.send(.verifyEmail) { $0.idToken = user.idToken } }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    }
    #expect(outbox.messages.count == 13)
    // The cookie has no effect on messages to another account.
    try await scene.signUp("grace@example.com")
    for _ in 1...2 { try await reset(ada, "grace@example.com") }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(ada, "grace@example.com") }
  }

  @Test func `a device that fails too often counts as any other`() async throws {
    let (scene, ada) = try await Self.attacked()
    for _ in 1...3 { await expectRefusal("INVALID_PASSWORD") { try await Self.signIn(scene, ada, "wrong horse") } }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await Self.signIn(scene, ada) }
    scene.clock.advance(by: 301)
    _ = try await Self.signIn(scene, ada)
  }

  @Test func `a cookie is good for its own account only`() async throws {
    let (scene, ada) = try await Self.attacked()
    try await scene.signUp("grace@example.com")
    for _ in 1...3 { _ = try? await Self.signIn(scene, Caller(), "wrong horse", "grace@example.com") }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await Self.signIn(scene, ada, "correct horse", "grace@example.com")
    }
  }

  @Test(arguments: ["revoked", "a new password"]) func `a revocation and a new password end the cookies`(
    _ event: String
  ) async throws {
    let (scene, ada) = try await Self.attacked()
    if event == "revoked" {
      _ = try await scene.backend.revoke(AccountName("ada@example.com"))
    } else {
      let signedIn = try await Self.signIn(scene, ada)
      _ = try await scene.update(signedIn.idToken) { $0.password = Secret("correct horse") }
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await Self.signIn(scene, ada) }
  }

  @Test func `an account knows the twenty devices that were used last`() async throws {
    let (scene, caller) = try await Self.attacked()
    let ada = Caller(device: caller.device)
    let user = try await Self.signIn(scene, ada)
    scene.clock.advance(by: 1)
    for _ in 1...20 { _ = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await Self.signIn(scene, ada) }
    #expect(try scene.rows("SELECT hash FROM knownDevice").count == 20)
  }

  @Test func `failures from one address count together, whatever the account`() async throws {
    let scene = Scene { $0.addressThrottle.attempts = 5 }
    for number in 1...6 { try await scene.signUp("user\(number)@example.com") }
    let caller = Caller(address: "192.0.2.1")
    for number in 1...5 {
      await expectRefusal("INVALID_PASSWORD") {
        try await Self.signIn(scene, caller, "wrong horse", "user\(number)@example.com")
      }
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await Self.signIn(scene, caller, "correct horse", "user6@example.com")
    }
    _ = try await Self.signIn(scene, Caller(address: "192.0.2.2"), "correct horse", "user6@example.com")
  }

  @Test(
    arguments: [
      (["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3", "2001:DB8::4%eth0"], "2001:db8:1::1"),
      (["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1"], "::ffff:192.0.2.2"),
    ]) func `a client's addresses count as one, for sign-ins and for messages`(_ own: [String], _ other: String)
    async throws
  {
    let (scene, _) = Scene.sending {
      $0.addressThrottle.attempts = 4
      $0.messageThrottle = Throttle(attempts: 8, window: .seconds(100))
    }
    for number in 1...5 { try await scene.signUp("user\(number)@example.com") }
    func reset(_ address: String) async throws(AuthError) {
      var call = SendOobCode(.passwordReset)
      call.email = "user1@example.com"
      _ = try await scene.backend.backend(for: Caller(address: address)).answer(call)
    }
    for (number, address) in zip(1..., own) {
      await expectRefusal("INVALID_PASSWORD") {
        try await Self.signIn(scene, Caller(address: address), "wrong horse", "user\(number)@example.com")
      }
      try await reset(address)
    }
    for address in own {
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
        try await Self.signIn(scene, Caller(address: address), "correct horse", "user5@example.com")
      }
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(address) }
    }
    _ = try await Self.signIn(scene, Caller(address: other), "correct horse", "user5@example.com")
    try await reset(other)
  }

  @Test func `an old sign-in gets no cookie, and an account that is gone leaves none`() async throws {
    let (scene, ada) = try await Self.attacked()
    let user = try await Self.signIn(scene, ada)
    scene.clock.advance(by: 301)
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
    }
    _ = try await scene.backend.deleteAccount(AccountName(user.localId))
    #expect(try scene.rows("SELECT hash FROM knownDevice") == [])
  }

  @Test func `the completion form makes a cookie as the other does`() async throws {
    let scene = Scene()
    let token = try await scene.signUp().idToken.revealed
    let cookie = try await withCheckedThrowingContinuation { caller in
      scene.backend.deviceCookie(forIDToken: token) { caller.resume(with: $0) }
    }
    #expect(cookie.revealed.utf8.count == 43)
  }
}

/// The same for clients that keep no cookie: they are known by their network.
struct KnownNetworkTests {
  private static let home = Caller(address: "198.51.100.1")

  private func signIn(
    _ scene: Scene, _ caller: Caller, _ password: String = "correct horse"
  ) async throws(AuthError) -> SignInResponse {
    try await scene.backend.backend(for: caller)
      .answer(SignInWithPassword(email: "ada@example.com", password: Secret(password)))
  }

  private func lockOut(_ scene: Scene) async {
    for number in 1...3 {
      await expectRefusal("INVALID_LOGIN_CREDENTIALS") {
        try await signIn(scene, Caller(address: "192.0.2.\(number)"), "wrong horse")
      }
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(scene, Caller(address: "192.0.2.9")) }
  }

  private func locked(_ begin: (Scene) async throws -> Void) async throws -> Scene {
    let scene = Scene {
      $0.throttle.attempts = 3
      $0.enumerationProtection = true
    }
    try await begin(scene)
    await lockOut(scene)
    return scene
  }

  @Test func `others' failures do not keep a network out from which the user has signed up or in`() async throws {
    let call = SignUp(email: "ada@example.com", password: Secret("correct horse"))
    let signedUp = try await locked { _ = try await $0.backend.backend(for: Self.home).answer(call) }
    _ = try await signIn(signedUp, Self.home)
    let signedIn = try await locked {
      try await $0.signUp()
      _ = try await signIn($0, Self.home)
    }
    for _ in 1...3 {
      _ = try await signIn(signedIn, Self.home)
      // Her sign-ins give the others no further tries.
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(signedIn, Caller(), "wrong horse") }
    }
  }

  @Test func `a known network has as many tries as any other, and is known for its own account only`() async throws {
    let scene = try await locked {
      try await $0.signUp("bob@example.com")
      _ = try await $0.backend.backend(for: Self.home)
        .answer(SignInWithPassword(email: "bob@example.com", password: Secret("correct horse")))
      try await $0.signUp()
      _ = try await signIn($0, Caller(address: "198.51.100.2"))
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(scene, Self.home) }
    for _ in 1...3 {
      await expectRefusal("INVALID_LOGIN_CREDENTIALS") {
        try await signIn(scene, Caller(address: "198.51.100.2"), "wrong horse")
      }
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(scene, Caller(address: "198.51.100.2")) }
  }

  @Test func `an administrator's network becomes not the user's, and a revocation ends what was known`() async throws {
    let scene = try await locked {
      try await $0.signUp()
      let user = try await signIn($0, Self.home)
      _ = try await $0.backend.answer(RevokeSessions(idToken: user.idToken))
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(scene, Self.home) }
    var administrator = Self.home
    administrator.isAdministrator = true
    let other = try await locked {
      try await $0.signUp()
      _ = try await signIn($0, administrator)
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(other, Self.home) }
  }

  @Test func `the network of a reset is known`() async throws {
    let (scene, outbox) = Scene.sending { $0.throttle.attempts = 3 }
    try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let code = try #require(outbox.messages.last?.code)
    _ = try await scene.backend.backend(for: Self.home)
      .answer(ResetPassword(oobCode: code, newPassword: Secret("battery staple")))
    for number in 1...3 {
      _ = try? await signIn(scene, Caller(address: "192.0.2.\(number)"), "wrong horse")
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await signIn(scene, Caller(address: "192.0.2.9"), "battery staple")
    }
    _ = try await signIn(scene, Self.home, "battery staple")
  }

  @Test func `others cannot use up the messages of a known network`() async throws {
    let (scene, outbox) = Scene.sending { $0.messageThrottle = Throttle(attempts: 2, window: .seconds(100)) }
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: try #require(outbox.messages.last?.code)))
    scene.clock.advance(by: 100)
    _ = try await signIn(scene, Self.home)
    func reset(_ caller: Caller) async throws(AuthError) {
      var call = SendOobCode(.passwordReset)
      call.email = "ada@example.com"
      _ = try await scene.backend.backend(for: caller).answer(call)
    }
    for number in 1...2 { try await reset(Caller(address: "192.0.2.\(number)")) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(Caller(address: "192.0.2.3")) }
    for _ in 1...2 { try await reset(Self.home) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(Self.home) }
  }

  @Test func `who makes accounts with another person's address sends that person no more messages for it`() async throws
  {
    let (scene, outbox) = Scene.sending { $0.messageThrottle = Throttle(attempts: 4, window: .seconds(100)) }
    for number in 1...3 {
      let caller = Caller(address: "192.0.2.\(number)")
      let backend = scene.backend.backend(for: caller)
      let user = try await backend.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
      let cookie = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
      for device in [cookie, nil] {
        var reset = SendOobCode(.passwordReset)
        reset.email = "ada@example.com"
        _ = try? await scene.backend.backend(for: Caller(address: caller.address, device: device)).answer(reset)
        var verify = SendOobCode(.verifyEmail)
        verify.idToken = user.idToken
        _ = try? await scene.backend.backend(for: Caller(address: caller.address, device: device)).answer(verify)
      }
      _ = try await backend.answer(Delete(idToken: user.idToken))
    }
    #expect(outbox.messages.count == 4)
  }

  @Test func `an account keeps the twenty networks and the twenty devices that were used last`() async throws {
    let scene = Scene { $0.throttle.attempts = 3 }
    let user = try await scene.signUp()
    let cookie = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
    for number in 1...21 {
      scene.clock.advance(by: 1)
      _ = try await signIn(scene, Caller(address: "203.0.113.\(number)"))
    }
    for number in 1...3 {
      _ = try? await signIn(scene, Caller(address: "192.0.2.\(number)"), "wrong horse")
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(scene, Caller(address: "203.0.113.1")) }
    _ = try await signIn(scene, Caller(address: "203.0.113.2"))
    _ = try await signIn(scene, Caller(device: cookie))
  }
}
