import GatehouseBase
import GatehouseHTTP
import GatehouseServer
import IdentityToolkit
import Testing

/// Requests that name two tenants: that of a token or a path, and another one.
struct OtherTenantTests {
  private static let owner: TransportHeaders = ["Authorization": "Bearer owner"]

  /// An emulator with the tenants `one` and `two`.
  private func scene() async throws -> ServerScene {
    let scene = ServerScene(isEmulator: true)
    for tenant in ["one", "two"] { _ = try await scene.provider.createTenant(tenant) }
    return scene
  }

  /// The calls with a user's token, and members that they need besides it.
  private static let calls: [(type: any Call.Type, path: String, members: String)] = [
    (SignUp.self, "/v1/accounts:signUp", #""email":"new@example.com","password":"correct horse""#),
    (Lookup.self, "/v1/accounts:lookup", ""),
    (Update.self, "/v1/accounts:update", #""displayName":"x""#),
    (Delete.self, "/v1/accounts:delete", ""),
    (SendOobCode.self, "/v1/accounts:sendOobCode", #""requestType":"VERIFY_EMAIL""#),
    (
      SendOobCode.self, "/v1/accounts:sendOobCode",
      #""requestType":"VERIFY_AND_CHANGE_EMAIL","newEmail":"new@example.com""#
    ),
    (
      SignInWithIdp.self, "/v1/accounts:signInWithIdp",
      #""requestUri":"http://localhost","postBody":"providerId=google.com&id_token={\"sub\":\"1\"}""#
    ),
    (SignInWithEmailLink.self, "/v1/accounts:signInWithEmailLink", #""email":"new@example.com","oobCode":"x""#),
    (SignInWithPhoneNumber.self, "/v1/accounts:signInWithPhoneNumber", #""sessionInfo":"x","code":"123456""#),
    (ExchangeRefreshToken.self, "/v1/token", #""grant_type":"refresh_token""#),
    (StartMfaEnrollment.self, "/v2/accounts/mfaEnrollment:start", #""totpEnrollmentInfo":{}"#),
    (
      StartMfaEnrollment.self, "/v2/accounts/mfaEnrollment:start",
      #""phoneEnrollmentInfo":{"phoneNumber":"+12025550123"}"#
    ),
    (
      FinalizeMfaEnrollment.self, "/v2/accounts/mfaEnrollment:finalize",
      #""totpVerificationInfo":{"sessionInfo":"x","verificationCode":"123456"}"#
    ),
    (
      FinalizeMfaEnrollment.self, "/v2/accounts/mfaEnrollment:finalize",
      #""phoneVerificationInfo":{"sessionInfo":"x","code":"123456"}"#
    ),
    (WithdrawMfa.self, "/v2/accounts/mfaEnrollment:withdraw", #""mfaEnrollmentId":"x""#),
    (RevokeToken.self, "/v2/accounts:revokeToken", #""providerId":"apple.com","token":"x","tokenType":2"#),
    (MakeRecoveryCodes.self, "/gatehouse/v1/accounts:makeRecoveryCodes", ""),
    (ListSessions.self, "/gatehouse/v1/sessions:list", ""),
    (RevokeSessions.self, "/gatehouse/v1/sessions:revoke", ""),
  ]
  /// The calls of clients that show no user's token.
  private static let strangers: [any Call.Type] = [
    SignInWithPassword.self, SignInWithCustomToken.self, SendVerificationCode.self, ResetPassword.self,
    CreateAuthUri.self, StartMfaSignIn.self, FinalizeMfaSignIn.self, GetPasswordPolicy.self,
  ]

  @Test func `the table has every call of clients`() {
    let listed = Set(Self.calls.map { "\($0.type)" } + Self.strangers.map { "\($0)" })
    #expect(listed == Set(EveryCall.ofClients.map { "\($0)" }))
  }

  @Test func `a call with a user's token acts in the token's tenant, and is refused if it names another one`()
    async throws
  {
    let scene = try await scene()
    for (number, call) in Self.calls.enumerated() {
      // A call that links needs an account without a password; all others one with.
      let isLink = call.type == SignUp.self
      func user(_ tenant: String, _ name: String) async throws -> Reply {
        let place = tenant.isEmpty ? "" : #","tenantId":"\#(tenant)""#
        let account = isLink ? "" : #","email":"\#(name)@example.com","password":"correct horse""#
        let reply = await scene.post(
          "/v1/accounts:signUp", #"{"returnSecureToken":true\#(place)\#(account)}"#)
        try #require(reply.status == 200, "\(reply.json)")
        return reply
      }
      for (own, named, isRefused) in [
        ("one", "two", true), ("", "two", true), ("one", "absent", true), ("one", "one", false), ("one", "", false),
      ] {
        let name = "u\(number)\(own)\(named)"
        let user = try await user(own, name)
        let token =
          call.type == ExchangeRefreshToken.self
          ? #""refresh_token":"\#(user["refreshToken"] ?? "")""# : #""idToken":"\#(user.idToken)""#
        let members = [token, call.members, named.isEmpty ? "" : #""tenantId":"\#(named)""#].filter { !$0.isEmpty }
        let body = "{\(members.joined(separator: ",").replacing("new@", with: "new\(name)@"))}"
        let reply = await scene.post(call.path, body)
        if isRefused {
          let words = ["TENANT_ID_MISMATCH", named == "absent" ? "INVALID_TENANT_ID" : "TENANT_ID_MISMATCH"]
          #expect(words.contains { reply.message?.hasPrefix($0) == true }, "\(body): \(reply.json)")
          let lookup = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(user.idToken)"}"#)
          #expect(lookup.status == 200, "nothing has changed: \(call.path)")
        } else {
          #expect(reply.message?.contains("TENANT") != true, "\(body): \(reply.json)")
        }
      }
    }
  }

  @Test func `a waiting sign-in is continued in its own tenant only`() async throws {
    let scene = try await scene()
    let create =
      #"{"localId":"u","email":"u@example.com","emailVerified":true,"password":"correct horse","#
      + #""mfaInfo":[{"mfaEnrollmentId":"f","phoneInfo":"+12025550123"}]}"#
    let made = await scene.post("/v1/projects/local/tenants/one/accounts", create, headers: Self.owner)
    try #require(made.status == 200, "\(made.json)")
    let waiting = await scene.post(
      "/v1/accounts:signInWithPassword",
      #"{"email":"u@example.com","password":"correct horse","tenantId":"one","returnSecureToken":true}"#)
    let pending = try #require(waiting["mfaPendingCredential"], "\(waiting.json)")
    for (call, members) in [
      ("start", #""mfaEnrollmentId":"f","phoneSignInInfo":{}"#),
      ("finalize", #""phoneVerificationInfo":{"sessionInfo":"x","code":"123456"}"#),
    ] {
      for named in ["two", "one"] {
        let reply = await scene.post(
          "/v2/accounts/mfaSignIn:\(call)",
          #"{"mfaPendingCredential":"\#(pending)","tenantId":"\#(named)",\#(members)}"#)
        #expect((reply.message == "TENANT_ID_MISMATCH") == (named == "two"), "\(call) \(named): \(reply.json)")
      }
    }
  }

  @Test func `a request names one tenant, whether in its path, its query or its body`() async throws {
    let scene = try await scene()
    let routes = scene.server.routes.filter { $0.contains("{project}") }
    #expect(routes.count > 100)
    var count = 0
    for route in routes {
      let words = route.split(separator: " ")
      let method = String(words[0])
      let isInTenant = words[1].contains("{tenantId}") || words[1].contains("{tenant}")
      var path = String(words[1])
      for (name, value) in [("project", "local"), ("tenantId", "one"), ("tenant", "one"), ("id", "none")] {
        path = path.replacing("{\(name)}", with: value)
      }
      // A call by GET has its members in the query.
      let readsQuery = method == "GET" && path.hasSuffix("accounts:batchGet")
      for (query, body) in [
        ("?tenantId=two", "{}"), ("?tenant_id=two", "{}"),
        ("", #"{"tenantId":"two"}"#), ("", #"{"tenant_id":"two"}"#), ("?tenantId=one", #"{"tenantId":"two"}"#),
      ] {
        let isCall = path.contains("accounts") && method == "POST" || path.hasSuffix(":createSessionCookie")
        let namesTwo =
          body == "{}" ? !readsQuery || isInTenant : isCall && (isInTenant || !query.isEmpty)
        guard namesTwo else { continue }
        count += 1
        let request = ServerRequest(method, path + query, headers: Self.owner, body: Array(body.utf8))
        let reply = await scene.send(request)
        #expect(
          reply.message?.hasPrefix("TENANT_ID_MISMATCH") == true, "\(method) \(path)\(query) \(body): \(reply.json)")
      }
    }
    #expect(count > 200)
    let same = ServerRequest(
      "POST", "/v1/projects/local/tenants/one/accounts:lookup?tenantId=one", headers: Self.owner,
      body: Array(#"{"tenantId":"one","localId":["x"]}"#.utf8))
    #expect(await scene.send(same).status == 200)
  }
}
