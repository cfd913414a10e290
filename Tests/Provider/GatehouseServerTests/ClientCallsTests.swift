import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseServer
import Testing

struct ClientCallsTests {
  @Test(arguments: [
    ("/v1/accounts:signInWithCustomToken", "{}", "MISSING_CUSTOM_TOKEN"),
    ("/v1/accounts:signInWithCustomToken", #"{"token":null}"#, "MISSING_CUSTOM_TOKEN"),
    ("/v1/accounts:signInWithIdp", #"{"postBody":"providerId=google.com&id_token=x"}"#, "MISSING_REQUEST_URI"),
  ])
  func `a member that a call needs is missed by its own word`(path: String, body: String, word: String) async {
    let reply = await ServerScene().post(path, body)
    #expect(reply.status == 400 && reply.message == word)
  }

  @Test func `a user signs up, signs in, is looked up, and is deleted`() async throws {
    let scene = ServerScene()
    let made = await scene.signUp()
    #expect(made.status == 200)
    #expect(made["kind"] == "identitytoolkit#SignupNewUserResponse")
    #expect(made["expiresIn"] == "3600")
    let again = await scene.post(
      "/v1/accounts:signInWithPassword",
      #"{"email":"ada@example.com","password":"correct horse","returnSecureToken":true}"#)
    #expect(again.status == 200)
    #expect(again["localId"] == made["localId"])
    #expect(again.json["registered"]?.bool == true)
    let found = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(again.idToken)"}"#)
    let user = found.json["users"]?.array?.first
    #expect(user?["email"]?.string == "ada@example.com")
    #expect(user?["createdAt"]?.string?.utf8.count == 13)
    let deleted = await scene.post("/v1/accounts:delete", #"{"idToken":"\#(again.idToken)"}"#)
    #expect(deleted["kind"] == "identitytoolkit#DeleteAccountResponse")
    let gone = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(again.idToken)"}"#)
    #expect(gone.status == 400)
    #expect(gone.message == "USER_NOT_FOUND")
  }

  @Test(arguments: [
    ("application/x-www-form-urlencoded", "grant_type=refresh_token&refresh_token=TOKEN"),
    ("application/x-www-form-urlencoded; charset=utf-8", "refreshToken=TOKEN&grantType=refresh_token"),
    ("application/json", #"{"grant_type":"refresh_token","refresh_token":"TOKEN"}"#),
    ("application/json", #"{"grantType":"refresh_token","refreshToken":"TOKEN"}"#),
  ])
  func `a refresh is a form or JSON, in either spelling`(type: String, body: String) async throws {
    let scene = ServerScene()
    let made = await scene.signUp()
    let token = try #require(made["refreshToken"])
    let fresh = await scene.post(
      "/securetoken.googleapis.com/v1/token", body.replacing("TOKEN", with: token), headers: ["content-type": type])
    #expect(fresh.status == 200)
    #expect(
      fresh.json.names.sorted() == [
        "access_token", "expires_in", "id_token", "project_id", "refresh_token", "token_type", "user_id",
      ])
    #expect(fresh["access_token"] == fresh["id_token"])
    #expect(fresh["user_id"] == made["localId"])
  }

  @Test(arguments: [
    (#"{"refresh_token":"x"}"#, "MISSING_GRANT_TYPE"), (#"{"grant_type":"refresh_token"}"#, "MISSING_REFRESH_TOKEN"),
    (#"{"grant_type":"password","refresh_token":"x"}"#, "INVALID_GRANT_TYPE"),
    (#"{"grant_type":"refresh_token","refresh_token":"x"}"#, "INVALID_REFRESH_TOKEN"),
  ])
  func `a refresh that cannot be is refused in the protocol's words`(body: String, word: String) async {
    let reply = await ServerScene().post("/v1/token", body)
    #expect(reply.status == 400)
    #expect(reply.message == word)
  }

  /// As Google's emulator does.
  @Test(arguments: [false, true])
  func `a client that sends what only an administrator may send is refused`(isEmulator: Bool) async throws {
    let scene = ServerScene(isEmulator: isEmulator) { $0.delivery = $0.delivery ?? LogDelivery() }
    _ = await scene.signUp()
    let user = #""email":"eve@example.com","password":"correct horse""#
    let reset = #""requestType":"PASSWORD_RESET","email":"ada@example.com""#
    let refused = [
      ("signUp", #"{\#(user),"localId":"eve"}"#, "UNEXPECTED_PARAMETER : User ID"),
      ("signUp", #"{\#(user),"local_id":"eve"}"#, "UNEXPECTED_PARAMETER : User ID"),
      ("signUp", #"{"localId":"eve"}"#, "UNEXPECTED_PARAMETER : User ID"),
      ("signUp", #"{\#(user),"customAttributes":"{\"admin\":true}"}"#, "INSUFFICIENT_PERMISSION"),
      ("sendOobCode", #"{\#(reset),"returnOobLink":true}"#, "INSUFFICIENT_PERMISSION"),
      ("sendOobCode", #"{\#(reset),"return_oob_link":true}"#, "INSUFFICIENT_PERMISSION"),
    ]
    for (call, body, message) in refused {
      let reply = await scene.post("/v1/accounts:\(call)", body)
      #expect(reply.status == 400 && reply.message == message, "\(body): \(reply.json)")
    }
    let legacy = await scene.post("/identitytoolkit/v3/relyingparty/signupNewUser", #"{"localId":"eve"}"#)
    #expect(legacy.status == 400)
    let listed = try await scene.provider.accounts(after: nil).map(\.email)
    #expect(listed == ["ada@example.com"])
    for body in [#"{\#(user),"localId":""}"#, #"{\#(user),"localId":null}"#] {
      let made = await scene.post("/v1/accounts:signUp", body)
      #expect(made.status == 200 || made.message == "EMAIL_EXISTS", "\(body): \(made.json)")
    }
    #expect(await scene.post("/v1/accounts:sendOobCode", #"{\#(reset),"returnOobLink":false}"#).status == 200)
  }

  /// As Google's emulator does.
  @Test func `a check of a code for a sign-in does not tell the address`() async throws {
    let scene = ServerScene(isEmulator: true)
    let link = #""requestType":"EMAIL_SIGNIN","email":"ada@example.com","continueUrl":"http://localhost/""#
    #expect(await scene.post("/v1/accounts:sendOobCode", "{\(link)}").status == 200)
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array
    let code = try #require(codes?.last?["oobCode"]?.string)
    let checked = await scene.post("/v1/accounts:resetPassword", #"{"oobCode":"\#(code)"}"#)
    #expect(checked.status == 200 && checked["requestType"] == "EMAIL_SIGNIN")
    #expect(checked["email"] == nil)
  }

  /// As at Google. Other members that only an administrator may change are ignored, because Firebase's clients send
  /// them.
  @Test func `a user's update of what only an administrator may change is refused or ignored`() async throws {
    for isEmulator in [false, true] {
      let scene = ServerScene(isEmulator: isEmulator)
      let user = await scene.signUp()
      func update(_ members: String, _ path: String = "/v1/accounts:update") async -> Reply {
        await scene.post(path, #"{"idToken":"\#(user.idToken)","displayName":"Ada",\#(members)}"#)
      }
      for (members, word) in [
        (#""customAttributes":"{\"admin\":true}""#, "INSUFFICIENT_PERMISSION"),
        (#""custom_attributes":"{}""#, "INSUFFICIENT_PERMISSION"),
        (#""mfa":{"enrollments":[{"phoneInfo":"+12025550123"}]}"#, "INSUFFICIENT_PERMISSION"),
        (#""disableUser":true"#, "OPERATION_NOT_ALLOWED"), (#""disable_user":false"#, "OPERATION_NOT_ALLOWED"),
      ] {
        for path in ["/v1/accounts:update", "/www.googleapis.com/identitytoolkit/v3/relyingparty/setAccountInfo"] {
          let reply = await update(members, path)
          #expect(reply.status == 400 && reply.message?.hasPrefix(word) == true, "\(members): \(reply.json)")
        }
      }
      func account() async -> JSONValue? {
        let found = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(user.idToken)"}"#)
        return found.json["users"]?.array?.first
      }
      #expect(await account()?["displayName"] == nil, "a refused update changes nothing")
      let ignored = await update(
        #""customAttributes":null,"validSince":"9999999999","emailVerified":true,"phoneNumber":"+12025550123","#
          + #""createdAt":"1","lastLoginAt":"1","localId":"other""#)
      #expect(ignored.status == 200)
      let after = await account()
      #expect(after?["displayName"]?.string == "Ada" && after?["localId"]?.string == user["localId"])
      #expect(
        after?["emailVerified"]?.bool == false && after?["phoneNumber"] == nil && after?["createdAt"]?.string != "1")
    }
  }

  @Test func `a parameter that is there twice refuses a form and a query`() async throws {
    let scene = ServerScene()
    let token = try #require(await scene.signUp()["refreshToken"])
    func refresh(_ form: String) async -> Reply {
      await scene.send(
        ServerRequest(
          "POST", "/v1/token?key=k", headers: ["Content-Type": "application/x-www-form-urlencoded"],
          body: Array(form.utf8)))
    }
    #expect(await refresh("grant_type=refresh_token&refresh_token=\(token)").status == 200)
    let twice = await refresh("grant_type=refresh_token&refresh_token=a&refresh_token=\(token)")
    #expect(twice.status == 400 && twice.message?.contains("twice") == true && twice.json["id_token"] == nil)
    #expect(await scene.get("/v2/passwordPolicy?key=k&tenantId=a&tenantId=b").message?.contains("twice") == true)
  }

  @Test func `a form and a query have no more parameters than a JSON object has members`() async throws {
    let scene = ServerScene(options: { $0.json.members = 4 })
    let token = try #require(await scene.signUp()["refreshToken"])
    func post(_ path: String, _ form: String) async -> Reply {
      await scene.send(
        ServerRequest(
          "POST", path, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(form.utf8)))
    }
    let form = "grant_type=refresh_token&refresh_token=\(token)"
    let name = String(repeating: "n", count: 256)
    #expect(await post("/v1/token?key=k", form + "&a=1&\(name)=2").status == 200)
    for more in ["&a=1&b=2&c=3", "&\(name)n=1"] {
      let refused = await post("/v1/token?key=k", form + more)
      #expect(refused.status == 400 && refused.message?.hasPrefix("the form is too large") == true)
      let query = await scene.get("/v2/passwordPolicy?key=k&x=1" + more)
      #expect(query.status == 400 && query.message?.hasPrefix("the query is too large") == true)
      let grant = await post("/token", "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a&d=1" + more)
      #expect(grant["error"] == "invalid_request")
    }
    #expect(await scene.get("/v2/passwordPolicy?key=k&a=1&b=2").status == 200)
  }

  @Test func `a sign-in that waits for a second factor is an answer`() async throws {
    let scene = ServerScene(isEmulator: true)
    let user = await scene.signUp()
    _ = await scene.post("/v1/accounts:sendOobCode", #"{"requestType":"VERIFY_EMAIL","idToken":"\#(user.idToken)"}"#)
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]
    let code = try #require(codes?.array?.last?["oobCode"]?.string)
    #expect(await scene.post("/v1/accounts:update", #"{"oobCode":"\#(code)"}"#).status == 200)
    let begun = await scene.post(
      "/v2/accounts/mfaEnrollment:start",
      #"{"idToken":"\#(user.idToken)","phoneEnrollmentInfo":{"phoneNumber":"+12025550123"}}"#)
    let session = try #require(begun.json["phoneSessionInfo"]?["sessionInfo"]?.string)
    let texts = await scene.get("/emulator/v1/projects/local/verificationCodes").json["verificationCodes"]
    let text = try #require(texts?.array?.last)
    #expect(text["sessionInfo"]?.string == session)
    let digits = try #require(text["code"]?.string)
    let proof = #"{"sessionInfo":"\#(session)","code":"\#(digits)"}"#
    let enrolled = await scene.post(
      "/v2/accounts/mfaEnrollment:finalize", #"{"idToken":"\#(user.idToken)","phoneVerificationInfo":\#(proof)}"#)
    #expect(enrolled.status == 200)
    // Firebase's emulator sends no message about it, and a test that reads the last code would get this one. The first
    // code was used.
    let types = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array?
      .compactMap { $0["requestType"]?.string }
    #expect(types == [])

    let waiting = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    #expect(waiting.status == 200)
    #expect(waiting.json["idToken"] == nil)
    #expect(waiting["mfaPendingCredential"]?.isEmpty == false)
    #expect(waiting.json["mfaInfo"]?.array?.first?["phoneInfo"]?.string?.hasSuffix("123") == true)
  }

  @Test func `the language of a message is the header's`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    _ = await scene.post(
      "/v1/accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"ada@example.com"}"#,
      headers: ["x-firebase-locale": "de"])
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]
    #expect(codes?.array?.last?["oobLink"]?.string?.hasSuffix("&lang=de") == true)
  }

  @Test func `a caller's failures count for the address that it comes from`() async throws {
    let scene = ServerScene { $0.addressThrottle = Throttle(attempts: 1, window: .seconds(60)) }
    func signIn(from peer: String) async -> Reply {
      let body = #"{"email":"ada@example.com","password":"wrong"}"#
      return await scene.send(
        ServerRequest("POST", "/v1/accounts:signInWithPassword?key=k", body: Array(body.utf8), peer: peer))
    }
    #expect(await signIn(from: "192.0.2.1").message == "INVALID_LOGIN_CREDENTIALS")
    let refused = await signIn(from: "192.0.2.1")
    #expect(refused.message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
    #expect(refused.response.headers["Retry-After"] == "60")
    #expect(await signIn(from: "192.0.2.2").message == "INVALID_LOGIN_CREDENTIALS")
  }
}
