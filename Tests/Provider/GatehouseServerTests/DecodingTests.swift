import GatehouseBase
import GatehouseJOSE
import GatehouseServer
import Testing

struct DecodingTests {
  /// SQLite ends a text at a NUL, so it would name something else than it says. A password is hashed whole.
  @Test func `a NUL in a member or the query is refused, except in a password`() async throws {
    let scene = ServerScene(isEmulator: true)
    let user = await scene.signUp()
    let uid = try #require(user["localId"]), sid = try #require(try UnverifiedToken(user.idToken)["sid"]?.string)
    let owner: TransportHeaders = ["Authorization": "Bearer owner"]
    for (path, body) in [
      ("/v1/accounts:signUp", #"{"tenantId":"t\u0000"}"#), ("/v1/accounts:signUp", #"{"displayName":"a\u0000b"}"#),
      ("/v1/projects/local/accounts:checkSession", #"{"localId":"\#(uid)\u0000","sessionId":"\#(sid)"}"#),
      ("/v1/projects/local/accounts:checkSession", #"{"localId":"\#(uid)","sessionId":"\#(sid)\u0000x"}"#),
      ("/v1/projects/local/accounts:lookup", #"{"localId":["\#(uid)\u0000x"]}"#),
      ("/v1/projects/local/accounts:update", #"{"localId":"\#(uid)\u0000x","displayName":"x"}"#),
    ] {
      let reply = await scene.post(path, body, headers: path.contains("projects") ? owner : [:])
      #expect(reply.status == 400 && reply.json["error"]?["status"] == "INVALID_ARGUMENT", "\(body): \(reply.json)")
    }
    let query = ServerRequest("GET", "/v2/projects/local/tenants?pageToken=a%00b", headers: owner)
    #expect(await scene.send(query).status == 400)
    let long = #""email":"bob@example.com","password":"correct\u0000horse""#
    #expect(await scene.post("/v1/accounts:signUp", "{\(long)}").status == 200)
    #expect(await scene.post("/v1/accounts:signInWithPassword", "{\(long)}").status == 200)
  }

  @Test(arguments: [
    #"{"email":"ada@example.com","password":"correct horse","returnSecureToken":true}"#,
    #"{"email":"ada@example.com","password":"correct horse","return_secure_token":"true"}"#,
    #"{"email":"ada@example.com","password":"correct horse","tenantId":null,"unheardOf":{"a":[1,2,{"b":null}]}}"#,
    #" {"password":"correct horse","email":"ada@example.com","captchaResponse":"","clientType":1} "#,
  ])
  func `a call may be spelled in any of the protocol's ways`(body: String) async {
    let scene = ServerScene()
    _ = await scene.signUp()
    #expect(await scene.post("/v1/accounts:signInWithPassword", body).status == 200)
  }

  @Test func `a number may stand where text is expected`() async {
    let scene = ServerScene()
    #expect(await scene.post("/v1/accounts:signUp", #"{"email":"ada@example.com","password":12345678}"#).status == 200)
    let reply = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"12345678"}"#)
    #expect(reply.status == 200)
  }

  @Test(arguments: ["1", #""PASSWORD_RESET""#])
  func `a word of an enumeration may be its number`(type: String) async {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    let reply = await scene.post(
      "/v1/accounts:sendOobCode", #"{"request_type":\#(type),"email":"ada@example.com"}"#)
    #expect(reply["email"] == "ada@example.com")
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array
    #expect(codes?.last?["requestType"]?.string == "PASSWORD_RESET")
  }

  @Test func `a truth value may be text`() async {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    let reply = await scene.post(
      "/v1/accounts:sendOobCode",
      #"{"requestType":1,"email":"ada@example.com","canHandleCodeInApp":"true","androidInstallApp":"false"}"#)
    #expect(reply.status == 200)
  }

  @Test func `attributes are emptied by number and by word`() async throws {
    let scene = ServerScene()
    let user = await scene.signUp()
    for attribute in ["2", #""DISPLAY_NAME""#] {
      let set = await scene.post("/v1/accounts:update", #"{"idToken":"\#(user.idToken)","displayName":"Ada"}"#)
      #expect(set["displayName"] == "Ada")
      let emptied = await scene.post(
        "/v1/accounts:update", #"{"idToken":"\#(user.idToken)","deleteAttribute":[\#(attribute)]}"#)
      #expect(emptied.status == 200)
      #expect(emptied["displayName"] == nil)
    }
  }

  @Test(arguments: [
    #"{"requestType":99}"#, #"{"requestType":-1}"#, #"{"requestType":9223372036854775808}"#, #"{"requestType":{}}"#,
    #"{"requestType":[]}"#, #"{"requestType":true}"#, #"{"requestType":"VERIFY_EMAIL","canHandleCodeInApp":"maybe"}"#,
    #"{"requestType":"VERIFY_EMAIL","idToken":{"a":1}}"#,
  ])
  func `a value that cannot be is refused, and not shown`(body: String) async {
    let reply = await ServerScene().post("/v1/accounts:sendOobCode", body)
    #expect(reply.status == 400)
    #expect(reply.message?.hasPrefix("Invalid JSON payload received. The value of ") == true)
    #expect(reply.message?.contains("maybe") == false)
  }

  @Test(arguments: [
    ("accounts:signInWithPassword", "MISSING_EMAIL"), ("accounts:lookup", "INVALID_ID_TOKEN"),
    ("accounts:delete", "INVALID_ID_TOKEN"), ("accounts:sendOobCode", "MISSING_REQ_TYPE"),
    ("accounts:resetPassword", "MISSING_OOB_CODE"), ("accounts:sendVerificationCode", "MISSING_PHONE_NUMBER"),
    ("accounts:createAuthUri", "INVALID_IDENTIFIER"), ("accounts:signInWithCustomToken", "MISSING_CUSTOM_TOKEN"),
  ])
  func `a member that must be there is asked for`(path: String, word: String) async {
    #expect(await ServerScene().post("/v1/\(path)", "{}").message == word)
  }
}
