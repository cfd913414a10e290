import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct LinkingTests {
  private func link(
    _ scene: Scene, _ idToken: Secret, _ email: String = "ada@example.com"
  ) async throws -> SignInResponse {
    try await scene.backend.answer(SignUp(email: email, password: Secret("correct horse"), linkingTo: idToken))
  }

  @Test func `linking turns an anonymous account into one with a password`() async throws {
    let scene = Scene()
    let guest = try await scene.signUpAnonymously()
    scene.clock.advance(by: 10)
    let linked = try await link(scene, guest.idToken)
    #expect(linked.localId == guest.localId)
    #expect(linked.email == "ada@example.com")
    #expect(try await scene.signIn().localId == guest.localId)
    #expect(try await scene.lookUp(linked.idToken).profile.isAnonymous == false)
  }

  @Test func `linking ends the anonymous session`() async throws {
    let scene = Scene()
    let guest = try await scene.signUpAnonymously()
    scene.clock.advance(by: 10)
    let linked = try await link(scene, guest.idToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(guest.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(guest.idToken) }
    _ = try await scene.refresh(linked.refreshToken)
  }

  @Test func `linking an address that another account has is refused`() async throws {
    let scene = Scene()
    try await scene.signUp()
    let guest = try await scene.signUpAnonymously()
    await expectRefusal("EMAIL_EXISTS") { try await link(scene, guest.idToken) }
    _ = try await scene.lookUp(guest.idToken)
  }

  @Test func `an account with a password cannot be linked to another address`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    await expectRefusal(.providerAlreadyLinked) { try await link(scene, user.idToken, "other@example.com") }
  }

  @Test func `a user of an identity provider gets a password for the address that the account has`() async throws {
    let identities = try IdentityScene(trusted: true)
    let scene = identities.scene
    let claims: JSONObject = ["email": "ada@example.com", "email_verified": true]
    let user = try await identities.signIn(identities.credential("u1", claims))
    let linked = try await link(scene, try #require(user.idToken), "ADA@example.com")
    #expect(linked.localId == user.localId)
    let account = try await scene.lookUp(linked.idToken)
    #expect(account.emailVerified == true, "the address is the same")
    #expect(try await scene.signIn().localId == user.localId)
    #expect(try await identities.signIn(identities.credential()).localId == user.localId)
  }

  @Test func `an account that has an address gets no password for another one`() async throws {
    let identities = try IdentityScene(trusted: true)
    let scene = identities.scene
    let claims: JSONObject = ["email": "ada@example.com", "email_verified": true]
    let user = try await identities.signIn(identities.credential("u1", claims))
    let idToken = try #require(user.idToken)
    await expectRefusal(.providerAlreadyLinked) { try await link(scene, idToken, "other@example.com") }
    #expect(try await scene.lookUp(idToken).email == "ada@example.com")
  }

  @Test func `linking wants a token of ours`() async throws {
    let scene = Scene()
    await expectRefusal("INVALID_ID_TOKEN") { try await link(scene, Secret("nonsense")) }
    await expectRefusal("INVALID_ID_TOKEN") { try await link(scene, Secret("")) }
  }

  @Test func `of two links of one account at once exactly one succeeds`() async throws {
    let scene = Scene()
    let guest = try await scene.signUpAnonymously()
    let successes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask { (try? await link(scene, guest.idToken, "ada\(number)@example.com")) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(successes == 1)
  }
}
