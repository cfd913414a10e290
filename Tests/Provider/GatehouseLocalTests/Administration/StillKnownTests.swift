import GRDB
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Changes that end what an account knows: their caller is known afterwards, so an attack does not keep the user out.
struct StillKnownTests {
  private static let home = Caller(address: "198.51.100.1")
  private static let elsewhere = Caller(address: "198.51.100.2")

  private let scene: Scene
  private let outbox: Outbox

  init() {
    (scene, outbox) = Scene.sending { $0.throttle.attempts = 3 }
  }

  private func signIn(
    _ caller: Caller, _ password: String = "correct horse", _ email: String = "ada@example.com"
  ) async throws(AuthError) -> SignInResponse {
    try await scene.backend.backend(for: caller)
      .answer(SignInWithPassword(email: email, password: Secret(password)))
  }

  /// Others use up the tries of an address.
  private func attack(_ email: String = "ada@example.com") async {
    for number in 1...3 {
      await expectRefusal("INVALID_PASSWORD") {
        try await signIn(Caller(address: "192.0.2.\(number)"), "wrong horse", email)
      }
    }
    await isLockedOut(Caller(address: "192.0.2.9"), email)
  }

  private func isLockedOut(_ caller: Caller, _ email: String = "ada@example.com") async {
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(caller, "correct horse", email) }
  }

  /// Signs up at home, with a verified address.
  private func signUp() async throws -> SignInResponse {
    let backend = scene.backend.backend(for: Self.home)
    let user = try await backend.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: outbox.code))
    return user
  }

  /// An administrator may end the sessions while a password is checked.
  @Test func `a network that is forgotten while its sign-in ends costs the sign-in nothing`() async throws {
    _ = try await signUp()
    await expectRefusal("INVALID_PASSWORD") { try await signIn(Self.home, "wrong horse") }
    let trigger = "CREATE TRIGGER forgetting AFTER DELETE ON attempt BEGIN DELETE FROM knownDevice; END"
    try await DatabaseQueue(path: scene.folder.home + "/accounts.sqlite").write { try $0.execute(sql: trigger) }
    _ = try await signIn(Self.home)
  }

  @Test(arguments: [true, false])
  func `the caller of a new password is known, with a new session or without`(_ getsTokens: Bool) async throws {
    let user = try await signUp()
    var change = Update(idToken: user.idToken)
    (change.password, change.returnSecureToken) = (Secret("correct horse"), getsTokens)
    _ = try await scene.backend.backend(for: Self.elsewhere).answer(change)
    await attack()
    await isLockedOut(Self.home)
    _ = try await signIn(Self.elsewhere)
  }

  @Test func `the device of a caller who changes the password stays known`() async throws {
    let user = try await signUp()
    let cookie = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
    let other = try await scene.backend.deviceCookie(forIDToken: user.idToken.revealed)
    var change = Update(idToken: user.idToken)
    change.password = Secret("correct horse")
    _ = try await scene.backend.backend(for: Caller(device: cookie)).answer(change)
    await attack()
    await isLockedOut(Caller(device: other))
    _ = try await signIn(Caller(device: cookie))
  }

  @Test func `a device that the account did not know becomes not known by a change`() async throws {
    let user = try await signUp()
    let caller = Caller(device: Secret("of my own making"))
    var change = Update(idToken: user.idToken)
    change.password = Secret("correct horse")
    _ = try await scene.backend.backend(for: caller).answer(change)
    await attack()
    await isLockedOut(caller)
  }

  @Test func `the caller of a link that changes the address is known, and so is who takes it back`() async throws {
    let user = try await signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: outbox.code))
    try await scene.send(.verifyAndChangeEmail) { ($0.idToken, $0.newEmail) = (user.idToken, "new@example.com") }
    _ = try await scene.backend.backend(for: Self.elsewhere).answer(Update(oobCode: outbox.code))
    await attack("new@example.com")
    await isLockedOut(Self.home, "new@example.com")
    _ = try await signIn(Self.elsewhere, "correct horse", "new@example.com")
    let back = try await scene.message(.recoverEmail, in: outbox).code
    _ = try await scene.backend.backend(for: Self.home).answer(Update(oobCode: back))
    await attack()
    await isLockedOut(Self.elsewhere)
    _ = try await signIn(Self.home)
  }

  @Test func `a known caller who ends all sessions stays known, and one that was not known becomes not`() async throws {
    var user = try await signUp()
    _ = try await scene.backend.backend(for: Self.home).answer(RevokeSessions(idToken: user.idToken))
    await attack()
    user = try await signIn(Self.home)
    _ = try await scene.backend.backend(for: Self.elsewhere).answer(RevokeSessions(idToken: user.idToken))
    await isLockedOut(Self.home)
    await isLockedOut(Self.elsewhere)
  }

  /// An administrator ends the sessions because they suspect a thief, whose device and network may be known as well.
  @Test func `an administrator who ends all sessions forgets who is known, and lets the owner in by a link`()
    async throws
  {
    let user = try await signUp()
    try await scene.backend.revoke(uid: user.localId)
    await attack()
    await isLockedOut(Self.home)
    // Others have used up the messages as well.
    await #expect(throws: AuthError.self) {
      for number in 1...20 {
        var call = SendOobCode(.passwordReset)
        call.email = "ada@example.com"
        _ = try await scene.backend.backend(for: Caller(address: "203.0.113.\(number)")).answer(call)
      }
    }
    var link = MakeActionLink(.passwordReset, email: "ada@example.com")
    link.returnOobLink = true
    let code = try #require(try await scene.backend.answer(link).oobCode)
    _ = try await scene.backend.backend(for: Self.home)
      .answer(ResetPassword(oobCode: code, newPassword: Secret("battery staple")))
    // The attack goes on.
    await attack()
    _ = try await signIn(Self.home, "battery staple")
  }
}
