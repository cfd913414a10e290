import GRDB
import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// Phones, identities and second factors of tenants.
struct TenantCredentialTests {
  @Test func `a phone has an account of its own in each tenant, and its code is that tenant's`() async throws {
    let phones = PhoneScene()
    let backend = phones.scene.backend
    _ = try await backend.createTenant("north")
    let own = try await phones.signIn()
    var send = SendVerificationCode(phoneNumber: PhoneScene.number)
    send.tenantId = "north"
    let session = try await backend.answer(send).sessionInfo
    var call = SignInWithPhoneNumber(.code(phones.pager.code, sessionInfo: session), .signUpOrIn)
    await expectRefusal("TENANT_ID_MISMATCH") { [call] in try await backend.answer(call) }
    call.tenantId = "north"
    let user = try await backend.answer(call)
    #expect(user.isNewUser == true && user.localId != own.localId)
    #expect(try await phones.scene.lookUp(#require(user.idToken)).tenantId == "north")
    #expect(try await phones.signIn().localId == own.localId)
  }

  @Test func `the proof of a number that is taken is good in its own tenant only`() async throws {
    let phones = PhoneScene()
    let backend = phones.scene.backend
    _ = try await backend.createTenant("north")
    var send = SendVerificationCode(phoneNumber: PhoneScene.number)
    send.tenantId = "north"
    var call = SignInWithPhoneNumber(
      .code(Secret(""), sessionInfo: try await backend.answer(send).sessionInfo), .signUpOrIn)
    (call.code, call.tenantId) = (phones.pager.code, "north")
    let first = try await backend.answer(call)
    var anonymous = SignUp()
    anonymous.tenantId = "north"
    let guest = try await backend.answer(anonymous)
    let session = try await backend.answer(send).sessionInfo
    let taken = try await phones.signIn(
      .code(phones.pager.code, sessionInfo: session), .link, of: guest.idToken)
    var proved = SignInWithPhoneNumber(
      .temporary(try #require(taken.temporaryProof), number: PhoneScene.number), .signUpOrIn)
    await expectRefusal("TENANT_ID_MISMATCH") { [proved] in try await backend.answer(proved) }
    proved.tenantId = "north"
    #expect(try await backend.answer(proved).localId == first.localId)
  }

  @Test func `an identity has an account of its own in each tenant`() async throws {
    let identities = try IdentityScene()
    let backend = identities.scene.backend
    _ = try await backend.createTenant("north")
    let own = try await identities.signIn(identities.credential())
    var call = SignInWithIdp(try identities.credential())
    call.tenantId = "north"
    let user = try await backend.answer(call)
    #expect(user.isNewUser == true && user.localId != own.localId)
    #expect(try await backend.answer(call).localId == user.localId)
    #expect(try await identities.signIn(identities.credential()).localId == own.localId)
    let idToken = try #require(user.idToken)
    #expect(try await identities.scene.lookUp(idToken).tenantId == "north")

    // Linked by a user of the tenant, it is looked for there.
    var other = SignInWithIdp(try identities.credential("u2"))
    _ = try await backend.answer(other)
    other.idToken = idToken
    await expectRefusal(.providerAlreadyLinked) { [other] in try await backend.answer(other) }
  }

  @Test func `a sign-in that waits for a second factor ends in its own tenant only`() async throws {
    let (scene, outbox) = Scene.sending()
    _ = try await scene.backend.createTenant("north")
    let auth = Auth(.init(backend: scene.backend, clocks: scene.clock, tenantID: "north"))
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
    try await user.sendEmailVerification()
    try await auth.applyActionCode(outbox.code.revealed)
    try await user.reload()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
    func password() throws -> String {
      let bytes = try #require(Base32.decode(secret.sharedSecretKey()))
      let step = OneTimePassword.step(at: Int64(scene.clock.now().wall))
      return try OneTimePassword.password(SecretBytes(bytes), step: step)
    }
    try await user.multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: try password()),
      displayName: nil)
    scene.clock.advance(by: 60)
    let waiting = await #expect(throws: AuthError.self) {
      try await auth.signIn(withEmail: "ada@example.com", password: "correct horse")
    }
    let pending = try #require(waiting?.pendingSignIn)
    var call = FinalizeMfaSignIn(pending.credential, factor: pending.factors[0].uid, password: try password())
    await expectRefusal("TENANT_ID_MISMATCH") { [call] in try await scene.backend.answer(call) }
    call.tenantId = "north"
    _ = try await scene.backend.answer(call)

    scene.clock.advance(by: 60)
    let again = await #expect(throws: AuthError.self) {
      try await auth.signIn(withEmail: "ada@example.com", password: "correct horse")
    }
    let refusal = try #require(again)
    let resolver = try #require(auth.multiFactorResolver(for: refusal))
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: resolver.hints[0].uid, oneTimePassword: try password())
    #expect(try await resolver.resolveSignIn(with: assertion).user.tenantID == "north")
  }

  @Test func `a user is reauthenticated in their own tenant, whichever is set`() async throws {
    let (scene, _) = Scene.sending()
    _ = try await scene.backend.createTenant("north")
    let auth = Auth(.init(backend: scene.backend, clocks: scene.clock, tenantID: "north"))
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
    auth.tenantID = nil
    try await user.reauthenticate(
      with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "correct horse"))
    try await user.updatePassword(to: "battery staple")
    #expect(auth.currentUser?.tenantID == "north")
  }

  @Test func `no account is made in a tenant that went meanwhile`() async throws {
    let scene = Scene()
    _ = try await scene.backend.createTenant("north")
    try await scene.backend.close()
    let database = try DatabaseQueue(path: scene.folder.home + "/accounts.sqlite")
    func insert(_ uid: String, _ tenant: String) throws {
      try database.write { db in
        try db.execute(
          sql: """
            INSERT INTO account (uid, tenant, emailVerified, disabled, createdAt, lastLoginAt, validSince)
            VALUES (?, ?, 0, 0, 1, 1, 1)
            """, arguments: [uid, tenant])
      }
    }
    try insert("a", "")
    try insert("b", "north")
    let error = #expect(throws: DatabaseError.self) { try insert("c", "south") }
    #expect(error?.message == "the tenant is gone")
  }
}
