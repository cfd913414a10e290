import GatehouseBase
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// Which account an identity signs in to.
struct IdentityAccountTests {
  private static let ada: JSONObject = ["email": "Ada@Example.com", "email_verified": true]

  @Test func `an address that the identity provider is not trusted with needs a confirmation`() async throws {
    let scene = try IdentityScene()
    let account = try await scene.scene.signUp()
    let answer = try await scene.signIn(scene.credential("u1", Self.ada))
    #expect(answer.needConfirmation == true && answer.idToken == nil && answer.localId == nil)
    #expect(answer.email == "ada@example.com" && answer.verifiedProvider == ["password"])
    let linked = try await scene.signIn(scene.credential("u1", Self.ada), linkingTo: account.idToken)
    #expect(linked.localId == account.localId && linked.isNewUser == false)
    #expect(try await scene.signIn(scene.credential("u1", Self.ada)).localId == account.localId)
    _ = try await scene.scene.signIn()
  }

  @Test(arguments: [true, false])
  func `linking verifies the account's own address if the identity provider has proved it, and ends nothing`(
    isTrusted: Bool
  ) async throws {
    let scene = try IdentityScene(trusted: isTrusted)
    let account = try await scene.scene.signUp()
    let linked = try await scene.signIn(scene.credential("u1", Self.ada), linkingTo: account.idToken)
    #expect(linked.localId == account.localId)
    #expect(try await scene.scene.lookUp(#require(linked.idToken)).emailVerified == isTrusted)
    #expect(try await scene.scene.lookUp(account.idToken).providerUserInfo?.count == 2)
    #expect(try await scene.scene.signIn().localId == account.localId)
    let other = try await scene.scene.signUp("other@example.com")
    let foreign = try await scene.signIn(
      scene.credential("u2", ["email": "third@example.com", "email_verified": true]), linkingTo: other.idToken)
    #expect(try await scene.scene.lookUp(#require(foreign.idToken)).emailVerified != true, "it is another address")
  }

  /// The identity provider may give each of them to another person.
  @Test(arguments: ["\u{FF41}da@example.com", "ada@\u{FF45}xample.com"])
  func `an address that only looks the same after normalization is not proved`(_ address: String) async throws {
    let scene = try IdentityScene(trusted: true)
    let owner = try await scene.scene.signUp()
    let answer = try await scene.signIn(
      scene.credential("u1", ["email": .string(address), "email_verified": true]))
    #expect(answer.idToken == nil && answer.localId == nil && answer.needConfirmation == true)
    #expect(try await scene.scene.lookUp(owner.idToken).emailVerified != true)
  }

  @Test func `under enumeration protection the ways of that account are not told`() async throws {
    let scene = try IdentityScene { $0.enumerationProtection = true }
    try await scene.scene.signUp()
    let answer = try await scene.signIn(scene.credential("u1", Self.ada))
    #expect(answer.needConfirmation == true && answer.verifiedProvider == [])
  }

  @Test(arguments: [.null, false, "false"] as [JSONValue])
  func `an address that is not verified needs one although the provider is trusted`(isVerified: JSONValue) async throws
  {
    let scene = try IdentityScene(trusted: true)
    try await scene.scene.signUp()
    let answer = try await scene.signIn(
      scene.credential("u1", ["email": "ada@example.com", "email_verified": isVerified]))
    #expect(answer.needConfirmation == true)
  }

  @Test func `a trusted provider's verified address ends what a stranger has prepared`() async throws {
    let scene = try IdentityScene(trusted: true)
    let stranger = try await scene.scene.signUp()
    try await scene.signIn(scene.credential("stranger"), linkingTo: stranger.idToken)
    let owner = try await scene.signIn(scene.credential("u1", Self.ada))
    #expect(owner.localId == stranger.localId)
    let account = try await scene.scene.lookUp(#require(owner.idToken))
    #expect(account.emailVerified == true)
    #expect(account.providerUserInfo?.map(\.rawId) == ["u1"], "neither the password nor the stranger's identity")
    await expectRefusal("INVALID_PASSWORD") { try await scene.scene.signIn() }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.scene.lookUp(stranger.idToken) }
    #expect(try await scene.signIn(scene.credential("stranger")).localId != owner.localId)
  }

  @Test func `an account whose address is verified keeps its password`() async throws {
    let outbox = Outbox()
    let scene = try IdentityScene(trusted: true) { $0.delivery = outbox }
    let account = try await scene.scene.signUp()
    try await scene.scene.send(.verifyEmail) { $0.idToken = account.idToken }
    _ = try await scene.scene.backend.answer(Update(oobCode: outbox.code))
    #expect(try await scene.signIn(scene.credential("u1", Self.ada)).localId == account.localId)
    #expect(try await scene.scene.signIn().localId == account.localId)
    // One identity of a provider for an account.
    let second = try await scene.signIn(scene.credential("u2", Self.ada))
    #expect(second.needConfirmation == true)
  }

  @Test func `an identity of another account cannot be linked`() async throws {
    let scene = try IdentityScene()
    let owner = try await scene.signIn(scene.credential())
    let guest = try await scene.scene.signUpAnonymously()
    let answer = try await scene.signIn(scene.credential(), linkingTo: guest.idToken)
    #expect(answer.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED" && answer.idToken == nil)
    #expect(answer.oauthIdToken != nil)
    _ = try await scene.scene.lookUp(guest.idToken)
    _ = try await scene.scene.lookUp(#require(owner.idToken))
  }

  @Test func `linking gives an anonymous user a way to sign in, and ends the anonymous session`() async throws {
    let scene = try IdentityScene()
    let guest = try await scene.scene.signUpAnonymously()
    scene.scene.clock.advance(by: 10)
    let linked = try await scene.signIn(scene.credential("u1", Self.ada), linkingTo: guest.idToken)
    #expect(linked.localId == guest.localId)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.scene.lookUp(guest.idToken) }
    let account = try await scene.scene.lookUp(#require(linked.idToken))
    #expect(account.profile.isAnonymous == false && account.email == "ada@example.com")
  }

  @Test func `linking an identity whose address another account has is refused`() async throws {
    let scene = try IdentityScene()
    try await scene.scene.signUp()
    let guest = try await scene.scene.signUpAnonymously()
    let answer = try await scene.signIn(scene.credential("u1", Self.ada), linkingTo: guest.idToken)
    #expect(answer.errorMessage == "EMAIL_EXISTS")
  }

  @Test func `linking is no sign-in, and needs a recent one`() async throws {
    let scene = try IdentityScene()
    let account = try await scene.scene.signUp()
    scene.scene.clock.advance(by: 200)
    let linked = try await scene.signIn(scene.credential(), linkingTo: account.idToken)
    scene.scene.clock.advance(by: 200)
    let word = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    let idToken = try #require(linked.idToken)
    await expectRefusal(word) { try await scene.scene.update(idToken) { $0.password = Secret("another one") } }
    await expectRefusal(word) { try await scene.scene.update(idToken) { $0.deleteProvider = ["oidc.example"] } }
    scene.answer("https://opaque.example/introspect", #"{"active":true,"client_id":"app-1"}"#)
    scene.answer("https://opaque.example/userinfo", #"{"sub":"u9"}"#)
    await expectRefusal(word) {
      try await scene.signIn(scene.accessToken("oidc.opaque"), linkingTo: idToken)
    }
  }

  @Test func `an identity is unlinked`() async throws {
    let scene = try IdentityScene()
    let account = try await scene.scene.signUp()
    let linked = try await scene.signIn(scene.credential(), linkingTo: account.idToken)
    _ = try await scene.scene.update(#require(linked.idToken)) { $0.deleteProvider = ["oidc.example"] }
    #expect(try await scene.signIn(scene.credential()).localId != account.localId)
  }

  @Test func `a deleted account's identity makes a new one`() async throws {
    let scene = try IdentityScene()
    let first = try await scene.signIn(scene.credential())
    _ = try await scene.scene.backend.answer(Delete(idToken: #require(first.idToken)))
    let again = try await scene.signIn(scene.credential())
    #expect(again.isNewUser == true && again.localId != first.localId)
  }

  @Test func `a sign-in that must not make an account makes none`() async throws {
    let scene = try IdentityScene()
    var call = SignInWithIdp(try scene.credential())
    call.autoCreate = false
    await expectRefusal("USER_NOT_FOUND") { try await scene.scene.backend.answer(call) }
    try await scene.signIn(scene.credential())
    _ = try await scene.scene.backend.answer(call)
  }

  @Test func `a disabled user is refused`() async throws {
    let scene = try IdentityScene()
    let user = try await scene.signIn(scene.credential())
    try await scene.scene.backend.setDisabled(uid: #require(user.localId), true)
    await expectRefusal("USER_DISABLED") { try await scene.signIn(scene.credential()) }
  }

  @Test func `an odd address costs the address, not the sign-in`() async throws {
    let scene = try IdentityScene(trusted: true)
    for (number, address) in ["", "no address", "a@b@c", "\u{202E}x@example.com"].enumerated() {
      let answer = try await scene.signIn(
        scene.credential("u\(number)", ["email": .string(address), "email_verified": true, "name": 7]))
      #expect(answer.email == nil && answer.idToken != nil)
    }
  }
}
