import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The texts to all phones together, which cost the provider's owner money.
struct TextLimitTests {
  private static let home = Caller(address: "198.51.100.1")

  private func send(_ place: PhoneScene, _ number: String, _ caller: Caller = Caller()) async throws {
    _ = try await place.scene.backend.backend(for: caller).answer(SendVerificationCode(phoneNumber: number))
  }

  private func number(_ index: Int) -> String { "+12025550\(200 + index)" }

  /// Signs in at home, so that the account knows the network.
  private func signIn(_ place: PhoneScene) async throws {
    let backend = place.scene.backend.backend(for: Self.home)
    let session = try await backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number)).sessionInfo
    let proof = PhoneProof.code(place.pager.code, sessionInfo: session)
    _ = try await backend.answer(SignInWithPhoneNumber(proof, .signUpOrIn, of: nil))
  }

  @Test func `unknown callers from many networks leave a quarter of the texts to those whom an account knows`()
    async throws
  {
    let place = PhoneScene { $0.textThrottle = Throttle(attempts: 16, window: .seconds(3600)) }
    try await signIn(place)
    for index in 1...11 { try await send(place, number(index), Caller(address: "192.0.2.\(index)")) }
    let error = await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await send(place, number(12), Caller(address: "192.0.2.99"))
    }
    #expect(error?.retryAfter == .seconds(3600))
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await send(place, PhoneScene.number, Caller(address: "192.0.2.99"))
    }
    // A network has an eighth. Its own user has used up one of the two with the sign-in.
    try await send(place, PhoneScene.number, Self.home)
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await send(place, PhoneScene.number, Self.home) }
    #expect(place.pager.texts.count == 13)
    place.scene.clock.advance(by: 3600)
    try await send(place, number(12), Caller(address: "192.0.2.99"))
  }

  @Test func `one network has an eighth of the texts, and an IPv6 site is one network`() async throws {
    let place = PhoneScene { $0.textThrottle = Throttle(attempts: 16, window: .seconds(3600)) }
    for index in 1...2 { try await send(place, number(index), Caller(address: "2001:db8:1:\(index)::1")) }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await send(place, number(3), Caller(address: "2001:db8:1:3::1"))
    }
    try await send(place, number(4), Caller(address: "2001:db8:2::1"))
    #expect(place.pager.texts.count == 3)
  }

  @Test func `a refused text costs nothing, and a limit of one text is one text`() async throws {
    let place = PhoneScene {
      $0.textThrottle = Throttle(attempts: 1, window: .seconds(3600))
      $0.messageThrottle = Throttle(attempts: 1, window: .seconds(3600))
    }
    try await send(place, number(1))
    for index in 2...4 { await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await send(place, number(index)) } }
    place.scene.clock.advance(by: 3600)
    try await send(place, number(2))
    #expect(place.pager.texts.count == 2)
  }

  @Test func `a thousand texts an hour are the default, and an app may take the limit away`() async throws {
    #expect(LocalOptions().textThrottle == Throttle(attempts: 1000, window: .seconds(3600)))
    let place = PhoneScene {
      $0.textThrottle = .unlimited
      $0.messageThrottle = .unlimited
    }
    for index in 0..<20 { try await send(place, number(index), Self.home) }
    #expect(place.pager.texts.count == 20)
  }
}
