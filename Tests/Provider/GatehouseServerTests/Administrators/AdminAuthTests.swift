import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseLocal
import GatehouseTesting
import Testing

/// What an administrator does, with the provider in this process and behind a server: the same.
struct AdminAuthTests {
  typealias Place = AdminScene.Place

  @Test(arguments: Place.allCases)
  func `a user is made, found by every name, changed and deleted`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    var request = CreateUserRequest(uid: "ada", email: "ada@example.com", password: Secret("correct horse"))
    request.isEmailVerified = true
    request.displayName = "Ada"
    request.phoneNumber = "+12025550123"
    let made = try await admin.createUser(request)
    #expect(made.uid == "ada" && made.email == "ada@example.com" && made.isEmailVerified && !made.isDisabled)
    #expect(made.displayName == "Ada" && made.phoneNumber == "+12025550123" && made.photoURL == nil)
    #expect(made.creationDate?.wall == 1_800_000_000 && made.lastSignInDate == nil)
    var change = UpdateUserRequest()
    change.isDisabled = true
    change.photoURL = "https://example.com/ada.png"
    change.removedFields = [.displayName]
    var google = ProviderProfile(providerID: "google.com", uid: "g-1")
    google.email = "ada@gmail.com"
    change.providerToLink = google
    let changed = try await admin.updateUser(uid: "ada", change)
    #expect(changed.isDisabled && changed.displayName == nil && changed.photoURL == "https://example.com/ada.png")
    #expect(Set(changed.providerData.map(\.providerID)) == ["password", "phone", "google.com"])
    #expect(try await admin.getUser(byUID: "ada") == changed)
    #expect(try await admin.getUser(byEmail: "ada@example.com") == changed)
    #expect(try await admin.getUser(byPhoneNumber: "+12025550123") == changed)
    #expect(try await admin.getUser(byProviderID: "google.com", uid: "g-1") == changed)
    var less = UpdateUserRequest()
    less.removedFields = [.phoneNumber, .photoURL]
    less.providersToUnlink = ["google.com"]
    let left = try await admin.updateUser(uid: "ada", less)
    #expect(left.phoneNumber == nil && left.photoURL == nil && left.providerData.map(\.providerID) == ["password"])
    try await admin.deleteUser(uid: "ada")
    let unknown = await #expect(throws: AuthError.self) { try await admin.getUser(byUID: "ada") }
    let gone = await #expect(throws: AuthError.self) { try await admin.deleteUser(uid: "ada") }
    for error in [unknown, gone] {
      #expect(error?.code == .userNotFound && error?.message == "the project has no such user")
      #expect(error?.serverCode == "USER_NOT_FOUND")
    }
    await expectRefusal(.userNotFound) { try await admin.updateUser(uid: "ada", change) }
  }

  @Test(arguments: Place.allCases)
  func `an administrator sees when a user last got an ID token`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let made = try await scene.admin.createUser(CreateUserRequest(email: "new@example.com"))
    #expect(made.lastRefreshDate == nil)
    let (uid, _) = try await scene.signUp()
    #expect(try await scene.admin.getUser(byUID: uid).lastRefreshDate?.wall == 1_800_000_000)
    #expect(try await scene.admin.listUsers().users.compactMap(\.lastRefreshDate).count == 1)
  }

  @Test(arguments: Place.allCases)
  func `phones are second factors by an administrator's word`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    var request = CreateUserRequest(uid: "ada", email: "ada@example.com", password: Secret("correct horse"))
    request.isEmailVerified = true
    request.secondFactors = [.phone("+12025550123", displayName: "work"), .phone("+12025550124", uid: "second")]
    let made = try await admin.createUser(request)
    // The project lists factors of one moment in no order.
    let first = try #require(made.secondFactors.first { $0.phoneNumber == "+12025550123" })
    let second = try #require(made.secondFactors.first { $0.phoneNumber == "+12025550124" })
    #expect(first.displayName == "work" && second.displayName == nil && made.secondFactors.count == 2)
    #expect(made.secondFactors.allSatisfy { $0.factorID == "phone" && !$0.uid.isEmpty })
    #expect(second.uid == "second")
    #expect(try await admin.updateUser(uid: "ada", UpdateUserRequest()).secondFactors == made.secondFactors)
    var change = UpdateUserRequest()
    change.secondFactors = [.existing(first), .phone("+12025550125")]
    let changed = try await admin.updateUser(uid: "ada", change)
    #expect(changed.secondFactors.contains(first))
    #expect(Set(changed.secondFactors.map(\.phoneNumber)) == ["+12025550123", "+12025550125"])
    change.secondFactors = [.phone("+12025550125"), .phone("+12025550125")]
    await expectRefusal(.secondFactorAlreadyEnrolled) { try await admin.updateUser(uid: "ada", change) }
    change.secondFactors = [.phone("nonsense")]
    await expectRefusal(.invalidPhoneNumber) { try await admin.updateUser(uid: "ada", change) }
    change.secondFactors = []
    #expect(try await admin.updateUser(uid: "ada", change).secondFactors == [])
  }

  @Test(arguments: Place.allCases)
  func `users are asked for, listed and deleted together`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    for uid in ["a", "b", "c"] {
      _ = try await admin.createUser(CreateUserRequest(uid: uid, email: "\(uid)@x.example"))
    }
    let some = try await admin.getUsers([.uid("a"), .email("B@x.example"), .uid("z"), .phoneNumber("+12025550123")])
    #expect(Set(some.users.map(\.uid)) == ["a", "b"])
    #expect(some.notFound == [.uid("z"), .phoneNumber("+12025550123")])
    #expect(try await admin.getUsers([]).users == [])
    await expectRefusal(.invalidArgument) {
      try await admin.getUsers(Array(repeating: .uid("a"), count: 101))
    }
    let first = try await admin.listUsers(maxResults: 2)
    #expect(first.users.map(\.uid) == ["a", "b"])
    let second = try await admin.listUsers(maxResults: 2, pageToken: first.nextPageToken)
    #expect(second.users.map(\.uid) == ["c"] && second.nextPageToken == nil)
    await expectRefusal(.invalidArgument) { try await admin.listUsers(maxResults: 0) }
    await expectRefusal(.invalidArgument) { try await admin.listUsers(maxResults: 1001) }
    let gone = try await admin.deleteUsers(uids: ["a", "z", "c"])
    #expect(gone.successCount == 3 && gone.failureCount == 0)
    #expect(try await admin.listUsers().users.map(\.uid) == ["b"])
    await expectRefusal(.invalidArgument) {
      try await admin.deleteUsers(uids: Array(repeating: "a", count: 1001))
    }
  }

  @Test(arguments: Place.allCases)
  func `ID tokens are verified, and say what claims say`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let user = try await scene.signUp()
    try await scene.admin.setCustomUserClaims(forUID: user.uid, ["role": "countess"])
    #expect(try await scene.admin.getUser(byUID: user.uid).customClaims == ["role": "countess"])
    let token = await scene.signIn().idToken
    let verified = try await scene.admin.verifyIDToken(token, checkRevoked: true)
    #expect(verified.subject == user.uid && verified["role"]?.string == "countess")
    try await scene.admin.setCustomUserClaims(forUID: user.uid, [:])
    #expect(try UnverifiedToken(await scene.signIn().idToken)["role"] == nil)
    for name in ["sub", "firebase", "aud"] {
      let error = await expectRefusal(.invalidArgument) {
        try await scene.admin.setCustomUserClaims(forUID: user.uid, JSONObject([name: "x"]))
      }
      #expect(error?.serverCode == "FORBIDDEN_CLAIM")
    }
    let cookie = try await scene.scene.provider.sessionCookie(forIDToken: token, lifetime: .seconds(300))
    let other = try await AdminScene { $0.projectID = "other" }
    _ = try await other.signUp()
    await expectRefusal(.issuerMismatch) { try await scene.admin.verifyIDToken(cookie) }
    await expectRefusal(.unknownKey) { try await scene.admin.verifyIDToken(await other.signIn().idToken) }
    await expectRefusal(.tokenMalformed) { try await scene.admin.verifyIDToken("nonsense") }
    await expectRefusal(.signatureInvalid) {
      try await scene.admin.verifyIDToken(String(token.dropLast(8)) + "AAAAAAAA")
    }
    scene.scene.clock.advance(by: 3604)
    _ = try await scene.admin.verifyIDToken(token)  // within the leeway
    scene.scene.clock.advance(by: 1)
    await expectRefusal(.tokenExpired) { try await scene.admin.verifyIDToken(token) }
  }

  @Test(arguments: Place.allCases, ["revoked", "disabled", "deleted"])
  func `a token of a user who may not show it any more is refused where that is asked`(
    place: Place, fate: String
  ) async throws {
    let scene = try await AdminScene(place)
    let user = try await scene.signUp()
    let cookie = try await scene.admin.createSessionCookie(forIDToken: user.idToken, expiresIn: .seconds(300))
    _ = try await scene.admin.verifyIDToken(user.idToken, checkRevoked: true)
    #expect(try await scene.admin.verifySessionCookie(cookie, checkRevoked: true).subject == user.uid)
    scene.scene.clock.advance(by: 10)
    let code: AuthError.Code
    switch fate {
    case "revoked":
      try await scene.admin.revokeRefreshTokens(forUID: user.uid)
      code = .tokenRevoked
    case "disabled":
      var change = UpdateUserRequest()
      change.isDisabled = true
      _ = try await scene.admin.updateUser(uid: user.uid, change)
      code = .userDisabled
    default:
      try await scene.admin.deleteUser(uid: user.uid)
      code = .userNotFound
    }
    _ = try await scene.admin.verifyIDToken(user.idToken)
    _ = try await scene.admin.verifySessionCookie(cookie)
    await expectRefusal(code) { try await scene.admin.verifyIDToken(user.idToken, checkRevoked: true) }
    await expectRefusal(code) { try await scene.admin.verifySessionCookie(cookie, checkRevoked: true) }
    await expectRefusal(.issuerMismatch) { try await scene.admin.verifySessionCookie(user.idToken) }
    await expectRefusal(.invalidArgument) {
      try await scene.admin.createSessionCookie(forIDToken: user.idToken, expiresIn: .seconds(1))
    }
  }

  @Test(arguments: Place.allCases, ["ended by its user", "a refresh token was used twice"])
  func `a token of a sign-in that is over is refused where that is asked, and one of another is not`(
    place: Place, fate: String
  ) async throws {
    let scene = try await AdminScene(place) { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let over = await scene.signIn()
    let cookie = try await scene.admin.createSessionCookie(forIDToken: over.idToken, expiresIn: .seconds(300))
    _ = try await scene.admin.verifyIDToken(over.idToken, checkRevoked: true)
    _ = try await scene.admin.verifySessionCookie(cookie, checkRevoked: true)
    switch fate {
    case "ended by its user":
      let sid = try #require(try UnverifiedToken(over.idToken)["sid"]?.string)
      let reply = await scene.scene.post(
        "/gatehouse/v1/sessions:revoke", #"{"idToken":"\#(user.idToken)","sessionId":"\#(sid)"}"#)
      #expect(reply.status == 200)
    default:
      let body = #"{"grant_type":"refresh_token","refresh_token":"\#(try #require(over["refreshToken"]))"}"#
      #expect(await scene.scene.post("/v1/token", body).status == 200)
      scene.scene.clock.advance(by: 120)
      #expect(await scene.scene.post("/v1/token", body).status == 400)
    }
    _ = try await scene.admin.verifyIDToken(over.idToken)
    _ = try await scene.admin.verifySessionCookie(cookie)
    await expectRefusal(.tokenRevoked) { try await scene.admin.verifyIDToken(over.idToken, checkRevoked: true) }
    await expectRefusal(.tokenRevoked) { try await scene.admin.verifySessionCookie(cookie, checkRevoked: true) }
    #expect(try await scene.admin.verifyIDToken(user.idToken, checkRevoked: true).subject == user.uid)
  }

  @Test func `Google's servers, which know no sign-ins, are not asked about one`() async throws {
    let scene = try await AdminScene(server: .google)
    let user = try await scene.signUp()
    let verified = try await scene.admin.verifyIDToken(user.idToken, checkRevoked: true)
    #expect(verified["sid"]?.string?.isEmpty == false)
    #expect(scene.wire.count("accounts:lookup") == 1)
    #expect(scene.wire.count("accounts:checkSession") == 0)
  }

  @Test(arguments: Place.allCases)
  func `a custom token signs its user in`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let token = try await scene.admin.createCustomToken(forUID: "ada", claims: ["role": "countess"])
    let reply = await scene.scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
    let verified = try await scene.admin.verifyIDToken(reply.idToken)
    #expect(verified.subject == "ada" && verified["role"]?.string == "countess")
    await expectRefusal(.invalidArgument) { try await scene.admin.createCustomToken(forUID: "") }
    await expectRefusal(.invalidArgument) {
      try await scene.admin.createCustomToken(forUID: "ada", claims: ["sub": "root"])
    }
  }

  @Test(arguments: Place.allCases)
  func `a custom token signs a disabled user in no more, and an old sign-in gets no cookie`(
    place: Place
  ) async throws {
    let scene = try await AdminScene(place)
    let user = try await scene.signUp()
    scene.scene.clock.advance(by: 600)
    await expectRefusal(.requiresRecentLogin) {
      try await scene.admin.createSessionCookie(forIDToken: user.idToken, expiresIn: .seconds(300))
    }
    let token = try await scene.admin.createCustomToken(forUID: user.uid)
    var change = UpdateUserRequest()
    change.isDisabled = true
    _ = try await scene.admin.updateUser(uid: user.uid, change)
    let reply = await scene.scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
    #expect(reply.message == "USER_DISABLED")
  }

  @Test(arguments: Place.allCases)
  func `links are made and not sent`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    _ = try await admin.createUser(CreateUserRequest(email: "ada@example.com"))
    let settings = ActionLinkSettings(url: "http://localhost/done", handleCodeInApp: true)
    #expect(try await admin.generatePasswordResetLink(forEmail: "ada@example.com").contains("mode=resetPassword"))
    let verification = try await admin.generateEmailVerificationLink(forEmail: "ada@example.com", settings: settings)
    #expect(verification.contains("mode=verifyEmail") && verification.contains("done"))
    let link = try await admin.generateSignInWithEmailLink(forEmail: "bob@example.com", settings: settings)
    #expect(link.contains("mode=signIn"))
    let change = try await admin.generateVerifyAndChangeEmailLink(
      forEmail: "ada@example.com", newEmail: "countess@example.com", settings: settings)
    #expect(change.contains("mode=verifyAndChangeEmail") && change.contains("done"))
    await expectRefusal(.userNotFound) { try await admin.generatePasswordResetLink(forEmail: "bob@example.com") }
    await expectRefusal(.invalidArgument) {
      try await admin.generateSignInWithEmailLink(
        forEmail: "bob@example.com", settings: ActionLinkSettings(url: "http://localhost/done"))
    }
    await expectRefusal(.unauthorizedDomain) {
      try await admin.generatePasswordResetLink(
        forEmail: "ada@example.com", settings: ActionLinkSettings(url: "https://evil.example"))
    }
  }

  @Test(arguments: Place.allCases)
  func `a tenant's users are its own`(place: Place) async throws {
    let scene = try await AdminScene(place)
    _ = try await scene.scene.provider.createTenant("t")
    let tenant = scene.admin.auth(forTenant: "t")
    #expect(tenant.tenantID == "t" && scene.admin.tenantID == nil)
    let ada = try await tenant.createUser(CreateUserRequest(uid: "ada", email: "ada@example.com"))
    #expect(ada.tenantID == "t")
    await expectRefusal(.userNotFound) { try await scene.admin.getUser(byUID: "ada") }
    let unknown = await expectRefusal(.userNotFound) { try await tenant.getUser(byUID: "bob") }
    #expect(unknown?.message == "the tenant has no such user")
    #expect(try await tenant.listUsers().users == [ada])
    let token = try await tenant.createCustomToken(forUID: "ada")
    let reply = await scene.scene.post(
      "/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)","tenantId":"t"}"#)
    #expect(try await tenant.verifyIDToken(reply.idToken, checkRevoked: true).subject == "ada")
    #expect(try await scene.admin.verifyIDToken(reply.idToken, checkRevoked: true).subject == "ada")
    await expectRefusal(.tenantIDMismatch) {
      try await scene.admin.auth(forTenant: "u").verifyIDToken(reply.idToken)
    }
    let cookie = try await tenant.createSessionCookie(forIDToken: reply.idToken, expiresIn: .seconds(300))
    #expect(try await tenant.verifySessionCookie(cookie).subject == "ada")
    let own = try await scene.signUp("bob@example.com")
    await expectRefusal(.tenantIDMismatch) { try await tenant.verifyIDToken(own.idToken) }
    await #expect(throws: AuthError.self, "another tenant's user gets no cookie") {
      try await tenant.createSessionCookie(forIDToken: own.idToken, expiresIn: .seconds(300))
    }
    await expectRefusal(.invalidArgument) { try await scene.admin.auth(forTenant: "u").listUsers() }
    #expect(try await tenant.deleteUsers(uids: ["ada", own.uid]).successCount == 2)
    #expect(try await scene.admin.getUser(byUID: own.uid).uid == own.uid, "another tenant's user is left alone")
  }

  @Test(arguments: Place.allCases)
  func `refusals have the protocol's codes`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    _ = try await admin.createUser(CreateUserRequest(uid: "ada", email: "ada@example.com"))
    await expectRefusal(.emailAlreadyInUse) {
      try await admin.createUser(CreateUserRequest(uid: "bob", email: "ada@example.com"))
    }
    await expectRefusal(.invalidArgument) { try await admin.createUser(CreateUserRequest(uid: "ada")) }
    await expectRefusal(.weakPassword) {
      try await admin.createUser(CreateUserRequest(email: "x@x.example", password: Secret("x")))
    }
    await expectRefusal(.invalidEmail) { try await admin.createUser(CreateUserRequest(email: "nonsense")) }
    await expectRefusal(.userNotFound) { try await admin.setCustomUserClaims(forUID: "bob", ["a": 1]) }
    await expectRefusal(.invalidArgument) { try await admin.revokeRefreshTokens(forUID: "") }
  }

  @Test(arguments: Place.allCases)
  func `the completion forms answer as the others`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let user = try await scene.signUp()
    let admin = scene.admin
    func answer<Value: Sendable>(
      _ call: (@escaping @Sendable (Result<Value, AuthError>) -> Void) -> Void
    ) async throws -> Value {
      try await withCheckedContinuation { caller in call { caller.resume(returning: $0) } }.get()
    }
    #expect(try await answer { admin.verifyIDToken(user.idToken, completion: $0) }.subject == user.uid)
    let cookie = try await answer {
      admin.createSessionCookie(forIDToken: user.idToken, expiresIn: .seconds(300), completion: $0)
    }
    #expect(try await answer { admin.verifySessionCookie(cookie, completion: $0) }.subject == user.uid)
    #expect(try await answer { admin.createCustomToken(forUID: "x", completion: $0) }.isEmpty == false)
    let made = try await answer { admin.createUser(CreateUserRequest(uid: "bob"), completion: $0) }
    #expect(try await answer { admin.getUser(byUID: "bob", completion: $0) } == made)
    #expect(try await answer { admin.getUser(byEmail: "ada@example.com", completion: $0) }.uid == user.uid)
    await expectRefusal(.userNotFound) {
      try await answer { admin.getUser(byPhoneNumber: "+12025550123", completion: $0) }
    }
    await expectRefusal(.userNotFound) {
      try await answer { admin.getUser(byProviderID: "google.com", uid: "x", completion: $0) }
    }
    #expect(try await answer { admin.getUsers([.uid("bob")], completion: $0) }.users == [made])
    #expect(try await answer { admin.listUsers(completion: $0) }.users.count == 2)
    let updated = try await answer { admin.updateUser(uid: "bob", UpdateUserRequest(), completion: $0) }
    #expect(updated == made)
    try await answer { admin.setCustomUserClaims(forUID: "bob", ["a": 1], completion: $0) }
    try await answer { admin.revokeRefreshTokens(forUID: "bob", completion: $0) }
    let settings = ActionLinkSettings(url: "http://localhost/", handleCodeInApp: true)
    let email = "ada@example.com"
    #expect(try await answer { admin.generatePasswordResetLink(forEmail: email, completion: $0) }.contains("oobCode"))
    #expect(
      try await answer { admin.generateEmailVerificationLink(forEmail: email, completion: $0) }.contains("oobCode"))
    #expect(
      try await answer { admin.generateSignInWithEmailLink(forEmail: email, settings: settings, completion: $0) }
        .contains("oobCode"))
    #expect(try await answer { admin.deleteUsers(uids: [user.uid], completion: $0) }.successCount == 1)
    try await answer { admin.deleteUser(uid: "bob", completion: $0) }
    await expectRefusal(.userNotFound) { try await answer { admin.deleteUser(uid: "bob", completion: $0) } }
  }
}
