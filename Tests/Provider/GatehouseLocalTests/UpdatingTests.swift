import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct UpdatingTests {
  @Test func `a profile is changed and emptied, and the session goes on`() async throws {
    let scene = Scene()
    let user = try await scene.signUp(displayName: "Ada")
    let changed = try await scene.update(user.idToken) {
      $0.displayName = "Ada L."
      $0.photoUrl = "https://example.com/ada.png"
    }
    #expect(changed.displayName == "Ada L.")
    #expect(changed.photoUrl == "https://example.com/ada.png")
    #expect(changed.idToken == nil)
    #expect(changed.refreshToken == nil)
    let emptied = try await scene.update(user.idToken) {
      $0.displayName = ""
      $0.deleteAttribute = [.photoURL]
    }
    #expect(emptied.displayName == nil)
    #expect(emptied.photoUrl == nil)
    #expect(emptied.email == "ada@example.com")
    _ = try await scene.refresh(user.refreshToken)
  }

  @Test func `a new password ends the older sessions and begins one`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 30)
    let changed = try await scene.update(user.idToken) { $0.password = Secret("battery staple") }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(user.idToken) }
    #expect(changed.expiresIn?.value == 3600)
    let account = try await scene.lookUp(try #require(changed.idToken))
    #expect(account.validSince?.value == 1_800_000_030)
    let refreshed = try await scene.refresh(try #require(changed.refreshToken))
    _ = try await scene.lookUp(refreshed.idToken)
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn() }
    try await scene.signIn("ada@example.com", "battery staple")
  }

  @Test func `a new password ends a session that began in the same second`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let changed = try await scene.update(user.idToken) { $0.password = Secret("battery staple") }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    _ = try await scene.refresh(try #require(changed.refreshToken))
  }

  @Test func `a new address ends the older sessions and begins one`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 30)
    let changed = try await scene.update(user.idToken) { $0.email = "Countess@example.com" }
    #expect(changed.email == "countess@example.com")
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    _ = try await scene.refresh(try #require(changed.refreshToken))
    await expectRefusal("EMAIL_NOT_FOUND") { try await scene.signIn() }
    #expect(try await scene.signIn("countess@example.com").localId == user.localId)
  }

  @Test func `the same address again changes nothing`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let changed = try await scene.update(user.idToken) { $0.email = "ADA@example.com" }
    #expect(changed.idToken == nil)
    _ = try await scene.refresh(user.refreshToken)
  }

  @Test func `an update without a wish for tokens gets none`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let changed = try await scene.update(user.idToken) {
      $0.password = Secret("battery staple")
      $0.returnSecureToken = false
    }
    #expect(changed.idToken == nil)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
  }

  @Test func `an update with a bad value changes nothing at all`() async throws {
    let scene = Scene()
    try await scene.signUp("taken@example.com")
    let user = try await scene.signUp(displayName: "Ada")
    let long = String(repeating: "n", count: 257)
    await expectRefusal("EMAIL_EXISTS") {
      try await scene.update(user.idToken) {
        $0.displayName = "Other"
        $0.email = "taken@example.com"
      }
    }
    await expectRefusal("WEAK_PASSWORD") {
      try await scene.update(user.idToken) {
        $0.displayName = "Other"
        $0.password = Secret("short")
      }
    }
    await expectRefusal("MISSING_PASSWORD") { try await scene.update(user.idToken) { $0.password = Secret("") } }
    await expectRefusal("MISSING_EMAIL") { try await scene.update(user.idToken) { $0.email = "" } }
    await expectRefusal("INVALID_EMAIL") { try await scene.update(user.idToken) { $0.email = "nonsense" } }
    await expectRefusal(.invalidArgument) { try await scene.update(user.idToken) { $0.displayName = long } }
    await expectRefusal(.invalidArgument) { try await scene.update(user.idToken) { $0.photoUrl = "a\0b" } }
    #expect(try await scene.lookUp(user.idToken).displayName == "Ada")
    _ = try await scene.refresh(user.refreshToken)
  }

  @Test func `an anonymous account gets an address and a password together or not at all`() async throws {
    let scene = Scene()
    let guest = try await scene.signUpAnonymously()
    let refused = await expectRefusal("MISSING_PASSWORD") {
      try await scene.update(guest.idToken) { $0.email = "ada@example.com" }
    }
    #expect(refused?.message.contains("a password with its address") == true)
    await expectRefusal("MISSING_EMAIL") {
      try await scene.update(guest.idToken) { $0.password = Secret("correct horse") }
    }
    _ = try await scene.update(guest.idToken) {
      $0.email = "ada@example.com"
      $0.password = Secret("correct horse")
    }
    #expect(try await scene.signIn().localId == guest.localId)
  }

  @Test func `an update wants a token of ours`() async {
    await expectRefusal("INVALID_ID_TOKEN") { try await Scene().update(Secret("nonsense")) { $0.displayName = "Ada" } }
  }

  @Test func `of two updates to one address exactly one succeeds`() async throws {
    let scene = Scene()
    let users = [try await scene.signUp("a@example.com"), try await scene.signUp("b@example.com")]
    let successes = await withTaskGroup(of: Bool.self) { group in
      for user in users {
        group.addTask { (try? await scene.update(user.idToken) { $0.email = "c@example.com" }) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(successes == 1)
  }
}
