import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// An administrator's calls, as Google's Admin SDKs make them.
struct AdminCallTests {
  private let scene = Scene()

  // MARK: Who may

  @Test func `a client is refused, whatever it names`() async throws {
    try await scene.signUp()
    let client = scene.backend.backend(for: Caller(address: "192.0.2.1"))
    await expectRefusal("INSUFFICIENT_PERMISSION") { try await client.answer(LookupAccounts()) }
    await expectRefusal("INSUFFICIENT_PERMISSION") { try await client.answer(ListAccounts()) }
    await expectRefusal("INSUFFICIENT_PERMISSION") { try await client.answer(DeleteAccount(localId: "u")) }
    var caller = Caller()
    caller.isAdministrator = true
    let administrator = scene.backend.backend(for: caller)
    #expect(try await administrator.answer(ListAccounts()).users?.count == 1)
  }

  @Test func `a user whose identifier reads like another one's address is disabled and deleted by it`() async throws {
    let named = "ada@example.com"
    let other = try await scene.signUp(named)
    let token = try await scene.backend.customToken(forUser: named)
    let user = try await scene.backend.answer(SignInWithCustomToken(token: Secret(token)))
    var disabling = UpdateAccount(localId: named)
    disabling.disableUser = true
    #expect(try await scene.backend.answer(disabling).localId == named)
    await expectRefusal("USER_DISABLED") { try await scene.refresh(user.refreshToken) }
    _ = try await scene.backend.answer(DeleteAccount(localId: named))
    #expect(try await lookUp { $0.localId = [named] }.isEmpty)
    #expect(try await lookUp { $0.email = [named] }.map(\.localId) == [other.localId])
    try await scene.signIn(named)
  }

  // MARK: Creating and looking up

  @Test func `an account has what it was made with, and has never signed in`() async throws {
    var call = CreateAccount(localId: "ada")
    call.email = "Ada@Example.com"
    call.emailVerified = true
    call.password = Secret("correct horse")
    call.displayName = "Ada"
    call.photoUrl = "https://example.com/a.png"
    call.phoneNumber = "+1 202 555 0123"
    call.mfaInfo = [CreateAccount.PhoneFactor(phoneInfo: "+12025550124")]
    #expect(try await scene.backend.answer(call).localId == "ada")
    let account = try #require(try await lookUp { $0.localId = ["ada"] }.first)
    #expect(account.email == "ada@example.com")
    #expect(account.emailVerified == true)
    #expect(account.displayName == "Ada")
    #expect(account.photoUrl == "https://example.com/a.png")
    #expect(account.phoneNumber == "+12025550123")
    #expect(account.mfaInfo?.map(\.phoneInfo) == ["+12025550124"])
    #expect(account.lastLoginAt == nil)
    #expect(account.createdAt != nil)
  }

  @Test func `what another account has is refused`() async throws {
    var first = CreateAccount(localId: "a")
    first.email = "ada@example.com"
    first.phoneNumber = "+12025550123"
    _ = try await scene.backend.answer(first)
    await expectRefusal("DUPLICATE_LOCAL_ID") {
      try await scene.backend.answer(CreateAccount(localId: "a"))
    }
    var call = CreateAccount()
    call.email = "ADA@example.com"
    await expectRefusal("EMAIL_EXISTS") { [call] in try await scene.backend.answer(call) }
    call.email = nil
    call.phoneNumber = "+1-202-555-0123"
    await expectRefusal("PHONE_NUMBER_EXISTS") { [call] in try await scene.backend.answer(call) }
  }

  @Test func `accounts are found by all that names them, once each`() async throws {
    var call = CreateAccount(localId: "a")
    call.email = "ada@example.com"
    call.phoneNumber = "+12025550123"
    _ = try await scene.backend.answer(call)
    var link = UpdateAccount(localId: "a")
    link.linkProviderUserInfo = identity("google.com", "g1")
    _ = try await scene.backend.answer(link)
    _ = try await scene.backend.answer(CreateAccount(localId: "b"))
    let all = try await lookUp {
      $0.localId = ["b", "a", "no one"]
      $0.email = ["ADA@example.com", "not an address"]
      $0.phoneNumber = ["+12025550123", "7"]
      $0.federatedUserId = [.init(providerId: "google.com", rawId: "g1")]
    }
    #expect(all.map(\.localId) == ["b", "a"])
    #expect(try await lookUp { $0.email = ["ada@example.com"] }.map(\.localId) == ["a"])
    #expect(try await lookUp { $0.phoneNumber = ["+12025550123"] }.map(\.localId) == ["a"])
    #expect(try await lookUp { $0.federatedUserId = [.init(providerId: "google.com", rawId: "g1")] }.count == 1)
    #expect(try await lookUp { $0.federatedUserId = [.init(providerId: "google.com", rawId: "g2")] }.isEmpty)
    await expectRefusal("INVALID_ARGUMENT") {
      try await lookUp { $0.localId = (0...1000).map(String.init) }
    }
  }

  // MARK: Changing

  @Test func `every member can be changed, and emptied where that makes sense`() async throws {
    _ = try await scene.backend.answer(CreateAccount(localId: "a"))
    var call = UpdateAccount(localId: "a")
    call.email = "ada@example.com"
    call.emailVerified = true
    call.password = Secret("correct horse")
    call.displayName = "Ada"
    call.phoneNumber = "+12025550123"
    call.customAttributes = #"{"admin":true}"#
    let answer = try await scene.backend.answer(call)
    #expect(answer.email == "ada@example.com")
    #expect(answer.displayName == "Ada")
    let account = try #require(try await lookUp { $0.localId = ["a"] }.first)
    #expect(account.emailVerified == true)
    #expect(account.customAttributes == #"{"admin":true}"#)
    #expect(account.providerUserInfo?.map(\.providerId) == ["password", "phone"])
    try await scene.signIn()
    var emptying = UpdateAccount(localId: "a")
    emptying.deleteAttribute = [.displayName]
    emptying.deleteProvider = ["phone"]
    emptying.customAttributes = "{}"
    _ = try await scene.backend.answer(emptying)
    let emptied = try #require(try await lookUp { $0.localId = ["a"] }.first)
    #expect(emptied.displayName == nil)
    #expect(emptied.phoneNumber == nil)
    // As Google's servers show claims that were taken away.
    #expect(emptied.customAttributes == "{}")
  }

  @Test func `a user who is disabled is refused, and let in again`() async throws {
    let session = try await scene.signUp()
    var call = UpdateAccount(localId: session.localId)
    call.disableUser = true
    _ = try await scene.backend.answer(call)
    await expectRefusal("USER_DISABLED") { try await scene.refresh(session.refreshToken) }
    call.disableUser = false
    _ = try await scene.backend.answer(call)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(session.refreshToken) }
    try await scene.signIn()
  }

  @Test func `sessions that began before a moment end, those of this second too`() async throws {
    let session = try await scene.signUp()
    let now = Int64(scene.clock.now().wall)
    var call = UpdateAccount(localId: session.localId)
    call.validSince = DecimalString(now)
    _ = try await scene.backend.answer(call)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(session.refreshToken) }
    #expect(try await lookUp { $0.localId = [session.localId] }.first?.validSince?.value == now)
    // What was revoked stays revoked, and a moment that is to come keeps none out.
    call.validSince = DecimalString(1)
    _ = try await scene.backend.answer(call)
    #expect(try await lookUp { $0.localId = [session.localId] }.first?.validSince?.value == now)
    call.validSince = DecimalString(now + 1_000_000)
    _ = try await scene.backend.answer(call)
    _ = try await scene.refresh(try await scene.signIn().refreshToken)
  }

  @Test func `an identity is linked in place of an earlier one of its provider, and to one account`() async throws {
    for uid in ["a", "b"] { _ = try await scene.backend.answer(CreateAccount(localId: uid)) }
    var call = UpdateAccount(localId: "a")
    for subject in ["g1", "g2"] {
      call.linkProviderUserInfo = identity("google.com", subject)
      _ = try await scene.backend.answer(call)
    }
    #expect(try await lookUp { $0.localId = ["a"] }.first?.providerUserInfo?.map(\.rawId) == ["g2"])
    var other = UpdateAccount(localId: "b")
    other.linkProviderUserInfo = identity("google.com", "g2")
    await expectRefusal("FEDERATED_USER_ID_ALREADY_LINKED") { [other] in
      try await scene.backend.answer(other)
    }
    other.linkProviderUserInfo = identity("google.com", "g1")
    _ = try await scene.backend.answer(other)
    for name in ["", "password", "phone", "anonymous", "custom"] {
      other.linkProviderUserInfo = identity(name, "x")
      await expectRefusal("INVALID_PROVIDER_ID") { [other] in try await scene.backend.answer(other) }
    }
  }

  @Test func `the phones that are second factors are the ones that are given`() async throws {
    var verified = CreateAccount(localId: "a")
    (verified.email, verified.emailVerified) = ("a@example.com", true)
    _ = try await scene.backend.answer(verified)
    var call = UpdateAccount(localId: "a")
    var first = CreateAccount.PhoneFactor(phoneInfo: "+12025550123")
    first.displayName = "desk"
    first.enrolledAt = "2026-01-02T03:04:05Z"
    call.mfa = .init(enrollments: [first, .init(phoneInfo: "+12025550124")])
    _ = try await scene.backend.answer(call)
    let factors = try #require(try await lookUp { $0.localId = ["a"] }.first?.mfaInfo)
    #expect(Set(factors.map(\.phoneInfo)) == ["+12025550123", "+12025550124"])
    let desk = try #require(factors.first { $0.displayName == "desk" })
    #expect(desk.enrolledAt == "2026-01-02T03:04:05Z")
    // One that is named stays; the other goes.
    var kept = CreateAccount.PhoneFactor(phoneInfo: "+12025550125")
    kept.mfaEnrollmentId = desk.mfaEnrollmentId
    call.mfa = .init(enrollments: [kept])
    _ = try await scene.backend.answer(call)
    let left = try #require(try await lookUp { $0.localId = ["a"] }.first?.mfaInfo)
    #expect(left.map(\.mfaEnrollmentId) == [desk.mfaEnrollmentId])
    #expect(left.map(\.phoneInfo) == ["+12025550125"])
    call.mfa = .init(enrollments: nil)
    _ = try await scene.backend.answer(call)
    #expect(try await lookUp { $0.localId = ["a"] }.first?.mfaInfo == nil)
    call.mfa = .init(enrollments: [first, first])
    await expectRefusal("SECOND_FACTOR_EXISTS") { [call] in try await scene.backend.answer(call) }
    call.mfa = .init(enrollments: (0..<6).map { .init(phoneInfo: "+1202555012\($0)") })
    await expectRefusal("SECOND_FACTOR_LIMIT_EXCEEDED") { [call] in try await scene.backend.answer(call) }
  }

  @Test(arguments: [("[]", "INVALID_CLAIMS"), ("{", "INVALID_CLAIMS"), (#"{"sub":"x"}"#, "FORBIDDEN_CLAIM")])
  func `claims that no token can have are refused`(text: String, word: String) async throws {
    _ = try await scene.backend.answer(CreateAccount(localId: "a"))
    var call = UpdateAccount(localId: "a")
    call.customAttributes = text
    await expectRefusal(word) { [call] in try await scene.backend.answer(call) }
  }

  @Test func `an account that is not there is not changed`() async throws {
    try await scene.signUp()
    for uid in ["", "x", "ada@example.com"] {
      await expectRefusal("USER_NOT_FOUND") { try await scene.backend.answer(UpdateAccount(localId: uid)) }
      await expectRefusal("USER_NOT_FOUND") { try await scene.backend.answer(DeleteAccount(localId: uid)) }
    }
  }

  // MARK: Deleting

  @Test func `many accounts are deleted at once, those that are not there too, and enabled ones by force`()
    async throws
  {
    for uid in ["a", "b", "c"] {
      var call = CreateAccount(localId: uid)
      call.disabled = uid == "a"
      _ = try await scene.backend.answer(call)
    }
    let errors = try await scene.backend.answer(DeleteAccounts(localIds: ["x", "a", "b"])).errors
    #expect(errors?.map(\.index) == [2])
    #expect(errors?.first?.message.hasPrefix("NOT_DISABLED") == true)
    #expect(try await uids() == ["b", "c"])
    #expect(try await scene.backend.answer(DeleteAccounts(localIds: ["b", "c"], force: true)).errors == nil)
    #expect(try await uids() == [])
    await expectRefusal("INVALID_ARGUMENT") {
      try await scene.backend.answer(DeleteAccounts(localIds: (0...1000).map(String.init)))
    }
  }

  // MARK: Lists

  @Test func `pages follow each other in the order of identifiers, and an empty one is the end`() async throws {
    for number in 0..<6 { _ = try await scene.backend.answer(CreateAccount(localId: "u\(number)")) }
    var call = ListAccounts()
    call.maxResults = DecimalString(3)
    var pages: [[String]] = []
    repeat {
      let page = try await scene.backend.answer(call)
      pages.append((page.users ?? []).map(\.localId))
      call.nextPageToken = page.nextPageToken
    } while call.nextPageToken != nil
    #expect(pages == [["u0", "u1", "u2"], ["u3", "u4", "u5"], []])
    for count: Int64 in [0, -1, 1001] {
      call.maxResults = DecimalString(count)
      await expectRefusal("INVALID_ARGUMENT") { [call] in try await scene.backend.answer(call) }
    }
  }

  @Test func `accounts are counted, and found by what they have`() async throws {
    for number in 0..<4 {
      var call = CreateAccount(localId: "u\(number)")
      call.email = "u\(number)@example.com"
      _ = try await scene.backend.answer(call)
    }
    var call = QueryAccounts()
    call.returnUserInfo = false
    let count = try await scene.backend.answer(call)
    #expect(count.recordsCount.value == 4)
    #expect(count.userInfo == nil)
    call.returnUserInfo = nil
    call.limit = DecimalString(2)
    call.offset = DecimalString(1)
    #expect(try await scene.backend.answer(call).userInfo?.map(\.localId) == ["u1", "u2"])
    var byEmail = QueryAccounts.Condition()
    byEmail.email = "U3@example.com"
    var both = QueryAccounts.Condition()
    both.userId = "u0"
    both.email = "u1@example.com"
    call = QueryAccounts()
    call.expression = [byEmail, both]
    #expect(try await scene.backend.answer(call).userInfo?.map(\.localId) == ["u3"])
    call.limit = DecimalString(501)
    await expectRefusal("INVALID_ARGUMENT") { [call] in try await scene.backend.answer(call) }
  }

  // MARK: Links and cookies

  @Test func `a link is answered and not sent, and its code is good`() async throws {
    try await scene.signUp()
    let answer = try await scene.backend.answer(MakeActionLink(.passwordReset, email: "ada@example.com"))
    let code = try #require(answer.oobCode)
    #expect(answer.oobLink?.revealed.contains("oobCode=\(code.revealed)") == true)
    _ = try await scene.backend.answer(ResetPassword(oobCode: code, newPassword: Secret("another horse")))
    try await scene.signIn("ada@example.com", "another horse")
    await expectRefusal("EMAIL_NOT_FOUND") {
      try await scene.backend.answer(MakeActionLink(.verifyEmail, email: "eve@example.com"))
    }
    var change = MakeActionLink(.verifyAndChangeEmail, email: "ada@example.com")
    await expectRefusal("MISSING_NEW_EMAIL") { [change] in try await scene.backend.answer(change) }
    change.newEmail = "lovelace@example.com"
    let changing = try #require(try await scene.backend.answer(change).oobCode)
    _ = try await scene.backend.answer(Update(oobCode: changing))
    try await scene.signIn("lovelace@example.com", "another horse")
  }

  @Test func `a cookie is made of an ID token, of the tenant that it says`() async throws {
    let session = try await scene.signUp()
    let cookie = try await scene.backend.answer(
      CreateSessionCookie(idToken: session.idToken, validDuration: DecimalString(300)))
    let verified = try await scene.backend.verifySessionCookie(cookie.sessionCookie.revealed, checkingRevocation: true)
    #expect(verified.subject == session.localId)
    await expectRefusal("INVALID_DURATION") {
      try await scene.backend.answer(
        CreateSessionCookie(idToken: session.idToken, validDuration: DecimalString(299)))
    }
    _ = try await scene.backend.createTenant("t")
    var call = CreateSessionCookie(idToken: session.idToken)
    call.tenantId = "t"
    await expectRefusal("TENANT_ID_MISMATCH") { [call] in try await scene.backend.answer(call) }
  }

  // MARK: Tenants

  @Test func `a tenant's accounts are its own`() async throws {
    _ = try await scene.backend.createTenant("t")
    var inTenant = CreateAccount(localId: "a")
    inTenant.email = "ada@example.com"
    inTenant.tenantId = "t"
    _ = try await scene.backend.answer(inTenant)
    var inProject = CreateAccount(localId: "b")
    inProject.email = "ada@example.com"
    _ = try await scene.backend.answer(inProject)
    #expect(try await lookUp { $0.localId = ["a", "b"] }.map(\.localId) == ["b"])
    let ofTenant = try await lookUp {
      $0.localId = ["a", "b"]
      $0.email = ["ada@example.com"]
      $0.tenantId = "t"
    }
    #expect(ofTenant.map(\.localId) == ["a"])
    await expectRefusal("USER_NOT_FOUND") { try await scene.backend.answer(UpdateAccount(localId: "a")) }
    #expect(try await scene.backend.answer(DeleteAccounts(localIds: ["a"], force: true)).errors == nil)
    var list = ListAccounts()
    list.tenantId = "t"
    #expect(try await scene.backend.answer(list).users?.map(\.localId) == ["a"], "it is another one's, and stays")
    #expect(try await uids() == ["b"])
    list.tenantId = "none"
    await expectRefusal("INVALID_TENANT_ID") { [list] in try await scene.backend.answer(list) }
  }

  // MARK: What the tests share

  private func lookUp(_ set: (inout LookupAccounts) -> Void) async throws -> [Account] {
    var call = LookupAccounts()
    set(&call)
    return try await scene.backend.answer(call).users ?? []
  }

  private func expectRefusal<Value: Sendable>(
    _ word: String, at location: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
  ) async {
    await #expect(sourceLocation: location) { try await body() } throws: { ($0 as? AuthError)?.serverCode == word }
  }

  private func uids() async throws -> [String] {
    try await scene.backend.answer(ListAccounts()).users?.map(\.localId) ?? []
  }

  private func identity(_ provider: String, _ subject: String) -> Account.ProviderUserInfo {
    var info = Account.ProviderUserInfo(providerId: provider)
    info.rawId = subject
    return info
  }
}
