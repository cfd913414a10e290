import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Accounts of tenants: an address, a phone or an identity may have one in each, and no call crosses over.
struct TenantTests {
  private let email = "ada@example.com"

  /// A scene with the tenants `north` and `south`.
  private func scene(
    _ adjust: (inout LocalOptions) -> Void = { _ in }
  ) async throws -> (scene: Scene, outbox: Outbox) {
    let (scene, outbox) = Scene.sending(adjust)
    _ = try await scene.backend.createTenant("south", displayName: "The South")
    _ = try await scene.backend.createTenant("north")
    return (scene, outbox)
  }

  private func signUp(_ scene: Scene, _ tenant: String?, _ password: String) async throws -> SignInResponse {
    var call = SignUp(email: email, password: Secret(password))
    call.tenantId = tenant
    return try await scene.backend.answer(call)
  }

  private func signIn(_ scene: Scene, _ tenant: String?, _ password: String) async throws -> SignInResponse {
    var call = SignInWithPassword(email: email, password: Secret(password))
    call.tenantId = tenant
    return try await scene.backend.answer(call)
  }

  @Test func `an address has an account of its own in each tenant and in the project`() async throws {
    let (scene, _) = try await scene()
    var users: [String: SignInResponse] = [:]
    for tenant in [nil, "north", "south"] {
      users[tenant ?? ""] = try await signUp(scene, tenant, "password of \(tenant ?? "all")")
    }
    #expect(Set(users.values.map(\.localId)).count == 3)
    for tenant in [nil, "north", "south"] {
      let user = try await signIn(scene, tenant, "password of \(tenant ?? "all")")
      #expect(user.localId == users[tenant ?? ""]?.localId)
      #expect(try await scene.lookUp(user.idToken).tenantId == tenant)
      let token = try UnverifiedToken(user.idToken.revealed)
      #expect(token.claims["firebase"]?["tenant"]?.string == tenant)
      let refreshed = try UnverifiedToken(try await scene.refresh(user.refreshToken).idToken.revealed)
      #expect(refreshed.claims["firebase"]?["tenant"]?.string == tenant)
      await expectRefusal("EMAIL_EXISTS") { try await signUp(scene, tenant, "another password") }
    }
    await expectRefusal("INVALID_PASSWORD") { try await signIn(scene, "north", "password of south") }
  }

  @Test func `a tenant's messages use up no other tenant's, and none of the project`() async throws {
    let (scene, outbox) = try await scene { $0.messageThrottle = Throttle(attempts: 2, window: .seconds(100)) }
    let tenants: [String?] = ["north", nil, "south"]
    func reset(_ tenant: String?) async throws {
      try await scene.send(.passwordReset) { [email] in ($0.email, $0.tenantId) = (email, tenant) }
    }
    for tenant in tenants {
      _ = try await signUp(scene, tenant, "correct horse")
      for _ in 1...2 { try await reset(tenant) }
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await reset(tenant) }
    }
    scene.clock.advance(by: 100)
    // With a verified address, each user has messages of their own. The token tells the tenant.
    for tenant in tenants {
      let user = try await signIn(scene, tenant, "correct horse")
      try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
      var apply = Update(oobCode: outbox.code)
      apply.tenantId = tenant
      _ = try await scene.backend.answer(apply)
      for _ in 1...2 { try await scene.send(.verifyEmail) { $0.idToken = user.idToken } }
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
        try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
      }
    }
  }

  @Test func `a tenant that is not there is refused, by every call that names one`() async throws {
    let (scene, _) = try await scene()
    let error = await expectRefusal("INVALID_TENANT_ID") { try await signUp(scene, "west", "correct horse") }
    #expect(error?.code == .invalidArgument)
    await expectRefusal("INVALID_TENANT_ID") { try await signIn(scene, "west", "correct horse") }
    await expectRefusal("INVALID_TENANT_ID") {
      try await scene.send(.passwordReset) { [email] in
        $0.email = email
        $0.tenantId = "west"
      }
    }
    var policy = GetPasswordPolicy()
    policy.tenantId = "west"
    await expectRefusal("INVALID_TENANT_ID") { [policy] in try await scene.backend.answer(policy) }
  }

  @Test func `failed sign-ins of one tenant lock no account of another one`() async throws {
    let (scene, _) = try await scene { $0.throttle = Throttle(attempts: 2, window: .seconds(60)) }
    _ = try await signUp(scene, "north", "correct horse")
    _ = try await signUp(scene, nil, "correct horse")
    for _ in 1...2 { await expectRefusal("INVALID_PASSWORD") { try await signIn(scene, "north", "wrong") } }
    let locked = await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await signIn(scene, "north", "correct horse")
    }
    #expect(locked?.email == email)
    _ = try await signIn(scene, nil, "correct horse")
  }

  @Test func `a code is good in its own tenant only, and a reset unlocks that one`() async throws {
    let (scene, outbox) = try await scene { $0.throttle = Throttle(attempts: 1, window: .seconds(60)) }
    _ = try await signUp(scene, "north", "correct horse")
    _ = try await signUp(scene, "south", "correct horse")
    await expectRefusal("INVALID_PASSWORD") { try await signIn(scene, "north", "wrong") }
    try await scene.send(.passwordReset) { [email] in
      $0.email = email
      $0.tenantId = "north"
    }
    #expect(outbox.messages.last?.link.revealed.contains("&tenantId=north") == true)
    var reset = ResetPassword(oobCode: outbox.code, newPassword: Secret("battery staple"))
    for tenant in [nil, "south"] {
      reset.tenantId = tenant
      await expectRefusal("TENANT_ID_MISMATCH") { [reset] in try await scene.backend.answer(reset) }
    }
    reset.tenantId = "north"
    _ = try await scene.backend.answer(reset)
    _ = try await signIn(scene, "north", "battery staple")
    _ = try await signIn(scene, "south", "correct horse")
  }

  @Test func `a link signs in to the tenant that it was asked for`() async throws {
    let (scene, outbox) = try await scene()
    let south = try await signUp(scene, "south", "correct horse")
    try await scene.send(.emailSignIn) { [email] in
      $0.email = email
      $0.tenantId = "north"
    }
    var call = SignInWithEmailLink(email: email, oobCode: outbox.code)
    await expectRefusal("TENANT_ID_MISMATCH") { [call] in try await scene.backend.answer(call) }
    call.tenantId = "north"
    let user = try await scene.backend.answer(call)
    #expect(user.isNewUser == true)
    #expect(user.localId != south.localId)
    #expect(try await scene.lookUp(user.idToken).tenantId == "north")
  }

  @Test func `a custom token is for the tenant that it names, and its user stays there`() async throws {
    let (scene, _) = try await scene()
    let token = try await scene.backend.customToken(forUser: "ada", tenantID: "north")
    var call = SignInWithCustomToken(token: Secret(token))
    for tenant in [nil, "south"] {
      call.tenantId = tenant
      await expectRefusal("TENANT_ID_MISMATCH") { [call] in try await scene.backend.answer(call) }
    }
    call.tenantId = "north"
    let user = try await scene.backend.answer(call)
    #expect(try await scene.lookUp(user.idToken).tenantId == "north")
    var plain = SignInWithCustomToken(token: Secret(try await scene.backend.customToken(forUser: "ada")))
    await expectRefusal("TENANT_ID_MISMATCH") { [plain] in try await scene.backend.answer(plain) }
    plain.tenantId = "north"
    await expectRefusal("TENANT_ID_MISMATCH") { [plain] in try await scene.backend.answer(plain) }
    await expectRefusal(.invalidArgument) { try await scene.backend.customToken(forUser: "x", tenantID: "a b") }
  }

  @Test func `a call with an ID token is about that token's tenant`() async throws {
    let (scene, _) = try await scene()
    var anonymous = SignUp()
    anonymous.tenantId = "north"
    let user = try await scene.backend.answer(anonymous)
    var link = SignUp(email: email, password: Secret("correct horse"), linkingTo: user.idToken)
    link.tenantId = "south"
    await expectRefusal("TENANT_ID_MISMATCH") { [link] in try await scene.backend.answer(link) }
    link.tenantId = nil
    let linked = try await scene.backend.answer(link)
    #expect(try await scene.lookUp(linked.idToken).tenantId == "north")
    #expect(try await signIn(scene, "north", "correct horse").localId == user.localId)
    await expectRefusal("EMAIL_NOT_FOUND") { try await signIn(scene, nil, "correct horse") }
  }

  @Test func `tenants are listed, made once, and deleted with their accounts`() async throws {
    let (scene, _) = try await scene()
    #expect(try await scene.backend.tenants().map(\.id) == ["north", "south"])
    #expect(try await scene.backend.tenants().map(\.displayName) == [nil, "The South"])
    #expect(try await scene.backend.tenants().first?.createdAt == 1_800_000_000_250)
    await expectRefusal(.invalidArgument) { try await scene.backend.createTenant("north") }
    for id in ["", "a b", "é", String(repeating: "a", count: 65)] {
      await expectRefusal("INVALID_TENANT_ID") { try await scene.backend.createTenant(id) }
    }
    let user = try await signUp(scene, "north", "correct horse")
    let other = try await signUp(scene, "south", "correct horse")
    try await scene.backend.deleteTenant("north")
    #expect(try await scene.backend.tenants().map(\.id) == ["south"])
    await expectRefusal("USER_NOT_FOUND") { try await scene.lookUp(user.idToken) }
    await expectRefusal("USER_NOT_FOUND") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("INVALID_TENANT_ID") { try await signIn(scene, "north", "correct horse") }
    _ = try await scene.lookUp(other.idToken)
    await expectRefusal("TENANT_NOT_FOUND") { try await scene.backend.deleteTenant("north") }
  }

  @Test func `the audit log names the tenant`() async throws {
    let (scene, outbox) = try await scene()
    let user = try await signUp(scene, "north", "correct horse")
    _ = try? await signIn(scene, "north", "wrong horse")
    try await scene.send(.passwordReset) { [email] in
      $0.email = email
      $0.tenantId = "north"
    }
    var reset = ResetPassword(oobCode: outbox.code, newPassword: Secret("battery staple"))
    reset.tenantId = "north"
    _ = try await scene.backend.answer(reset)
    let token = try await signIn(scene, "north", "battery staple").idToken
    _ = try await scene.backend.answer(Delete(idToken: token))
    _ = try await signUp(scene, nil, "correct horse")
    try await scene.backend.deleteTenant("north")
    try await scene.backend.close()
    let series: [(String, names: [String], tenants: [String?])] = [
      ("administration", ["tenantCreated", "tenantCreated", "tenantDeleted"], ["south", "north", "north"]),
      ("audit", ["signUp", "signIn", "signUp"], ["north", "north", nil]),
      ("security", ["passwordReset", "accountDeleted"], ["north", "north"]), ("refused", ["signInFailed"], ["north"]),
    ]
    for (name, names, tenants) in series {
      let events = try scene.events(in: name)
      #expect(events.map { $0["event"]?.string } == names)
      #expect(events.map { $0["tenant"]?.string } == tenants)
    }
    #expect(try scene.events.first?["uid"] == .string(user.localId))
  }

  @Test func `a tenant with more accounts than one step deletes goes whole`() async throws {
    let (scene, _) = try await scene()
    var anonymous = SignUp()
    anonymous.tenantId = "north"
    for _ in 1...201 { _ = try await scene.backend.answer(anonymous) }
    try await scene.backend.deleteTenant("north")
    #expect(try await scene.backend.accounts().isEmpty)
  }

  @Test func `an administrator names an account by its tenant and address`() async throws {
    let (scene, _) = try await scene()
    let north = try await signUp(scene, "north", "correct horse")
    #expect(try await scene.backend.account(AccountName(email, tenantID: "north")).uid == north.localId)
    #expect(try await scene.backend.account(AccountName(north.localId)).tenantID == "north")
    await expectRefusal("USER_NOT_FOUND") { try await scene.backend.account(AccountName(email)) }
    await expectRefusal("USER_NOT_FOUND") {
      try await scene.backend.account(AccountName(north.localId, tenantID: "south"))
    }
    var draft = AccountDraft()
    draft.email = email
    draft.tenantID = "south"
    #expect(try await scene.backend.createAccount(draft).tenantID == "south")
    draft.tenantID = "west"
    await expectRefusal("INVALID_TENANT_ID") { [draft] in try await scene.backend.createAccount(draft) }
  }
}
