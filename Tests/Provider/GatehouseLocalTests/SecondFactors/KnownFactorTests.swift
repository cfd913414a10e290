import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// Wrong second factors of a person who has only the password: they do not keep the owner out.
struct KnownFactorTests {
  private static let home = Caller(address: "198.51.100.1")

  private let factors: SecondFactorScene
  private let secret: String
  private let id: String

  init() async throws {
    factors = try await SecondFactorScene {
      $0.secondFactorThrottle = Throttle(attempts: 3, window: .seconds(300))
    }
    let (secret, factor) = try await factors.enroll()
    (self.secret, id) = (secret, factor.uid)
  }

  /// Signs in with the password, and then with the app's password or a wrong one.
  private func signIn(_ caller: Caller, _ password: String? = nil) async throws -> SecondFactorTokens {
    let backend = factors.scene.backend.backend(for: caller)
    let error = await expectRefusal(.secondFactorRequired) {
      try await backend.answer(SignInWithPassword(email: "ada@example.com", password: Secret("correct horse")))
    }
    let pending = try #require(error?.pendingSignIn).credential
    factors.scene.clock.advance(by: 30)  // Each password is valid once.
    let given = try password ?? factors.password(secret)
    return try await backend.answer(FinalizeMfaSignIn(pending, factor: id, password: given))
  }

  private func wrong(_ caller: Caller) async {
    await expectRefusal("INVALID_CODE") { try await signIn(caller, "abc") }
  }

  private func isLockedOut(_ caller: Caller) async {
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(caller) }
  }

  @Test func `wrong codes from elsewhere do not keep out a network or a device that has shown the factor`() async throws
  {
    _ = try await signIn(Self.home)
    let tokens = try await signIn(Caller(address: "198.51.100.2"))
    let cookie = try await factors.scene.backend.deviceCookie(forIDToken: tokens.idToken.revealed)
    for number in 1...3 { await wrong(Caller(address: "192.0.2.\(number)")) }
    for stranger in [Caller(), Caller(address: "192.0.2.9"), Caller(device: Secret("nonsense"))] {
      await isLockedOut(stranger)
    }
    _ = try await signIn(Self.home)
    _ = try await signIn(Caller(address: "198.51.100.3", device: cookie))
    // The owner's sign-ins give the others no further tries.
    await isLockedOut(Caller(address: "192.0.2.9"))
  }

  @Test func `a known network has as many wrong codes as any other, and then counts as any other`() async throws {
    _ = try await signIn(Self.home)
    for _ in 1...3 { await wrong(Self.home) }
    // Any other network may use up half of the three tries, rounded up.
    for _ in 1...2 { await wrong(Self.home) }
    await isLockedOut(Self.home)
  }

  @Test func `a reader of the mail gets no further tries by resetting the password from many networks`() async throws {
    let scene = factors.scene
    for number in 1...3 {
      let caller = Caller(address: "192.0.2.\(number)")
      try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
      _ = try await scene.backend.backend(for: caller)
        .answer(ResetPassword(oobCode: factors.outbox.code, newPassword: Secret("correct horse")))
      await wrong(caller)
      scene.clock.advance(by: 60)
    }
    await isLockedOut(Caller(address: "192.0.2.3"))
  }

  @Test func `a password alone makes no network known for second factors`() async throws {
    let scene = factors.scene
    for number in 1...3 { await wrong(Caller(address: "192.0.2.\(number)")) }
    for number in 1...3 { await isLockedOut(Caller(address: "192.0.2.\(number)")) }
    #expect(try scene.rows("SELECT hash FROM knownDevice WHERE kind = 'factor'") == [])
  }
}
