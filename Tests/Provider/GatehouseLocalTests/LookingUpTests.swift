import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct LookingUpTests {
  @Test func `a look-up tells what is known of an account with a password`() async throws {
    let scene = Scene()
    let user = try await scene.signUp(displayName: "Ada")
    scene.clock.advance(by: 5)
    let again = try await scene.signIn()
    var expected = Account(localId: user.localId)
    expected.email = "ada@example.com"
    expected.emailVerified = false
    expected.displayName = "Ada"
    expected.createdAt = DecimalString(1_800_000_000_250)
    expected.lastLoginAt = DecimalString(1_800_000_005_250)
    expected.lastRefreshAt = "2027-01-15T08:00:05Z"
    expected.validSince = DecimalString(1_800_000_000)
    expected.passwordUpdatedAt = Milliseconds(1_800_000_000_250)
    var info = Account.ProviderUserInfo(providerId: "password")
    info.rawId = "ada@example.com"
    info.federatedId = "ada@example.com"
    info.email = "ada@example.com"
    info.displayName = "Ada"
    expected.providerUserInfo = [info]
    #expect(try await scene.lookUp(again.idToken) == expected)
  }

  @Test func `a look-up of an anonymous account shows no provider`() async throws {
    let scene = Scene()
    let user = try await scene.signUpAnonymously()
    var expected = Account(localId: user.localId)
    expected.createdAt = DecimalString(1_800_000_000_250)
    expected.lastLoginAt = DecimalString(1_800_000_000_250)
    expected.lastRefreshAt = "2027-01-15T08:00:00Z"
    expected.validSince = DecimalString(1_800_000_000)
    #expect(try await scene.lookUp(user.idToken) == expected)
  }

  @Test func `a token that is expired, forged or of another project is refused`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var parts = user.idToken.revealed.split(separator: ".").map(String.init)
    parts[2] = String(parts[2].reversed())
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(Secret(parts.joined(separator: "."))) }
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(Secret("")) }
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(user.refreshToken) }

    // The same keys, and so the project's name alone is what differs.
    let other = scene.another { $0.projectID = "other" }
    await expectRefusal("INVALID_ID_TOKEN") { try await other.answer(Lookup(idToken: user.idToken)) }

    let stranger = try await Scene().signUp()
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(stranger.idToken) }

    scene.clock.advance(by: 7200)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(user.idToken) }
  }

  @Test func `revoking an account's sessions refuses its older tokens and lets in the next sign-in`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 2)
    try await scene.backend.revoke(uid: user.localId)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(user.idToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    let again = try await scene.signIn()
    _ = try await scene.lookUp(again.idToken)
    _ = try await scene.refresh(again.refreshToken)
  }

  @Test func `an administrator's change of nobody is refused`() async {
    let scene = Scene()
    await expectRefusal("USER_NOT_FOUND") { try await scene.backend.revoke(uid: "nobody") }
  }

  @Test func `a call that the provider does not know is refused by name`() async {
    struct Unknown: Call {
      static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:unknown"
      struct Response: Codable, Sendable {}
    }
    let scene = Scene()
    let error = await expectRefusal("OPERATION_NOT_ALLOWED") { try await scene.backend.answer(Unknown()) }
    #expect(error == .unsupported(Unknown.self))
  }

  @Test func `the last refresh is kept when the provider is closed`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 61)
    _ = try await scene.refresh(user.refreshToken)
    try await scene.backend.close()
    let again = try await scene.another().answer(Lookup(idToken: user.idToken)).users?.first
    #expect(again?.lastRefreshAt == "2027-01-15T08:01:01Z")
  }

  @Test func `a new account of an identifier that was used before has no refresh`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 61)
    _ = try await scene.refresh(user.refreshToken)
    _ = try await scene.backend.deleteAccount(.uid(user.localId))
    scene.clock.advance(by: 1)
    var draft = AccountDraft()
    draft.uid = user.localId
    _ = try await scene.backend.createAccount(draft)
    var lookup = LookupAccounts()
    lookup.localId = [user.localId]
    #expect(try await scene.backend.answer(lookup).users?.first?.lastRefreshAt == nil)
    try await scene.backend.close()
    #expect(try await scene.another().answer(lookup).users?.first?.lastRefreshAt == nil)
  }
}
