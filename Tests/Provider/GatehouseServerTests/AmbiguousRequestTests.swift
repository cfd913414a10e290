import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseServer
import Testing

/// Requests that say two things, or something else than their sender means.
struct AmbiguousRequestTests {
  private let owner: TransportHeaders = ["Authorization": "Bearer owner"]
  private let form: TransportHeaders = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test func `a member in two spellings is refused, in every call, form and query`() async {
    let scene = ServerScene(isEmulator: true)
    let user = await scene.signUp(), other = await scene.signUp("bob@example.com")
    let (mine, theirs) = (user.idToken, other.idToken)
    for (path, body) in [
      ("/v1/accounts:lookup", #"{"idToken":"\#(mine)","id_token":"\#(theirs)"}"#),
      ("/v1/accounts:lookup", #"{"id_token":"\#(mine)","idToken":"\#(mine)"}"#),
      ("/v1/accounts:signUp", #"{"tenant_id":null,"tenantId":"t"}"#),
      ("/v1/accounts:update", #"{"idToken":"\#(mine)","display_name":"a","displayName":null}"#),
      ("/v1/accounts:delete", #"{"idToken":"\#(mine)","id_token":"\#(theirs)"}"#),
      ("/v1/accounts:sendOobCode", #"{"requestType":1,"request_type":4,"email":"ada@example.com"}"#),
      ("/v1/token", #"{"grantType":"refresh_token","refresh_token":"a","refreshToken":"b"}"#),
      ("/v1/projects/local/accounts:delete", #"{"localId":"a","local_id":"b"}"#),
      (
        "/v1/projects/local/accounts:update",
        #"{"localId":"a","mfa":{"enrollments":[{"phoneInfo":"1","phone_info":"2"}]}}"#
      ),
      ("/gatehouse/v1/sessions:revoke", #"{"idToken":"\#(mine)","sessionId":null,"session_id":"x"}"#),
    ] {
      let reply = await scene.post(path, body, headers: path.contains("projects") ? owner : [:])
      #expect(reply.message?.hasSuffix("are the same member; send one of them") == true, "\(body): \(reply.json)")
    }
    let tokens = await scene.post("/v1/token", "grantType=refresh_token&refresh_token=a&refreshToken=b", headers: form)
    #expect(tokens.message == "refreshToken and refresh_token are the same member; send one of them")
    for query in ["maxResults=1&max_results=2", "nextPageToken=a&next_page_token=a"] {
      let page = await scene.get("/v1/projects/local/accounts:batchGet?\(query)", headers: owner)
      #expect(page.message == "the query has a parameter in two spellings; send one of them")
    }
    #expect(await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(mine)"}"#).status == 200)
  }

  @Test func `two credentials of a kind are refused`() async {
    let scene = ServerScene(isEmulator: true)
    let key: TransportHeaders = ["X-Goog-Api-Key": "k"]
    for (query, headers) in [
      ("?key=k", key), ("?key=k&key=k", [:]), ("", ["X-Goog-Api-Key": "k", "x-goog-api-key": "k"]),
      ("?key=k", ["Authorization": "Bearer owner", "authorization": "Bearer x"]),
      ("?key=k", ["X-Gatehouse-Device": "a", "x-gatehouse-device": "b"]),
    ] as [(String, TransportHeaders)] {
      let request = ServerRequest("POST", "/v1/accounts:signUp\(query)", headers: headers, body: Array("{}".utf8))
      let reply = await scene.send(request)
      #expect(reply.status == 400 && reply.message?.contains("several") == true, "\(query): \(reply.json)")
    }
    let request = ServerRequest("POST", "/v1/accounts:signUp", headers: key, body: Array("{}".utf8))
    #expect(await scene.send(request).status == 200)
  }

  @Test(arguments: [
    #"{"email":"ada@example.com","password":"correct horse"}"#, " \n{}", "[]", "%7B%22email%22%3A%22a%22%7D",
    #"{"email":"a=b&c"}"#, #"{"password":"100%"}"#,
  ])
  func `JSON that is sent as a form makes no anonymous account`(_ body: String) async {
    let scene = ServerScene(isEmulator: true)
    let reply = await scene.post("/v1/accounts:signUp", body, headers: form)
    #expect(reply.status == 415)
    #expect(reply.message?.hasSuffix("send Content-Type: application/json") == true, "\(reply.json)")
  }

  @Test func `a misspelled member ends not all sessions`() async {
    let scene = ServerScene()
    let user = await scene.signUp()
    for member in ["sessionID", "session", "sid"] {
      let reply = await scene.post("/gatehouse/v1/sessions:revoke", #"{"idToken":"\#(user.idToken)","\#(member)":"x"}"#)
      #expect(reply.message?.contains(#"Unknown name "\#(member)""#) == true, "\(reply.json)")
    }
    #expect(await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(user.idToken)"}"#).status == 200)
    #expect(await scene.post("/gatehouse/v1/sessions:revoke", #"{"idToken":"\#(user.idToken)"}"#).status == 200)
  }

  @Test func `a misspelled member does not remove all factors, find all accounts or change all of a resource`() async {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    let accounts = "/v1/projects/local/accounts"
    for (path, body) in [
      ("\(accounts):update", #"{"localId":"a","mfa":{"enrolments":[]}}"#),
      ("\(accounts):query", #"{"expresion":[{"email":"ada@example.com"}]}"#),
      ("\(accounts):query", #"{"expression":[{"emial":"ada@example.com"}]}"#),
    ] {
      let reply = await scene.post(path, body, headers: owner)
      #expect(reply.message?.contains("Unknown name") == true, "\(body): \(reply.json)")
    }
    let found = await scene.post("\(accounts):query", #"{"expression":[{"user_id":"x"}],"limit":1}"#, headers: owner)
    #expect(found["recordsCount"] == "0", "\(found.json)")
    for path in ["/v2/projects/local/config", "/v2/projects/local/tenants/t"] {
      for (query, isKnown) in [
        ("updateMasks=a", false), ("mask=a", false), ("key=k&alt=json&prettyPrint=false&update_mask=nothing", true),
      ] {
        let request = ServerRequest("PATCH", "\(path)?\(query)", headers: owner, body: Array("{}".utf8))
        let message = await scene.send(request).message ?? ""
        #expect(message.contains("Cannot bind query parameter") != isKnown, "\(path)?\(query): \(message)")
      }
      let twice = "\(path)?updateMask=a&updateMask=b"
      let reply = await scene.send(ServerRequest("PATCH", twice, headers: owner, body: Array("{}".utf8)))
      #expect(reply.status == 400 && reply.message?.contains("is there twice") == true, "\(reply.message ?? "")")
    }
  }

  @Test func `an emulator's link leads to no page but its message's own`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    for (type, mode) in [("EMAIL_SIGNIN", "signIn"), ("PASSWORD_RESET", "resetPassword")] {
      let body = #"{"requestType":"\#(type)","email":"ada@example.com","continueUrl":"http://localhost/app"}"#
      _ = await scene.post("/v1/accounts:sendOobCode", body)
      let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array
      let code = try #require(codes?.last?["oobCode"]?.string)
      let foreign = "continueUrl=https%3A%2F%2Fevil.example%2F"
      let path = "/emulator/action?mode=\(mode)&newPassword=battery-staple&\(foreign)"
      for wrong in ["x", ""] {
        let reply = await scene.get("\(path)&oobCode=\(wrong)")
        #expect(reply.status == 400 && reply.response.headers["Location"] == nil)
      }
      let location = await scene.get("\(path)&oobCode=\(code)").response.headers["Location"]
      #expect(location?.hasPrefix("http://localhost/app") == true && location?.contains("evil") == false, "\(mode)")
    }
    // Without a page of its own, the link leads nowhere.
    _ = await scene.post("/v1/accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"ada@example.com"}"#)
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array
    let code = try #require(codes?.last?["oobCode"]?.string)
    let path = "/emulator/action?mode=resetPassword&newPassword=battery-staple&continueUrl=http%3A%2F%2Flocalhost"
    let done = await scene.get("\(path)&oobCode=\(code)")
    #expect(done.status == 200 && done.response.headers["Location"] == nil)
  }
}
