import GatehouseBase
import GatehouseServer
import Testing

/// An administrator's calls over HTTP, as firebase-admin makes them.
struct AdminRoutesTests {
  private let scene = ServerScene(isEmulator: true)
  private var project: String { "/identitytoolkit.googleapis.com/v1/projects/\(scene.provider.audience)" }

  @Test(arguments: [
    "accounts", "accounts:lookup", "accounts:update", "accounts:delete", "accounts:batchDelete", "accounts:query",
    "accounts:sendOobCode",
  ])
  func `without an administrator's credential there is no call of theirs`(name: String) async {
    let reply = await scene.post("\(project)/\(name)", "{}")
    #expect(reply.status == 403)
    #expect(reply.message?.hasPrefix("INSUFFICIENT_PERMISSION") == true)
    let wrong = await scene.post("\(project)/\(name)", "{}", headers: ["Authorization": "Bearer eyJh"])
    #expect(wrong.status == 401)
  }

  @Test func `an account is made, found, changed, listed and deleted`() async {
    let made = await owner("POST", "\(project)/accounts", #"{"localId":"ada","email":"ada@example.com"}"#)
    #expect(made["localId"] == "ada")
    #expect(made["kind"] == "identitytoolkit#SignupNewUserResponse")
    let update = #"{"localId":"ada","disableUser":true,"validSince":"1","customAttributes":"{\"a\":1}"}"#
    #expect(await owner("POST", "\(project)/accounts:update", update).status == 200)
    let found = await owner("POST", "\(project)/accounts:lookup", #"{"localId":["ada"],"email":["x@y.z"]}"#)
    let user = found.json["users"]?.array?.first
    #expect(user?["disabled"]?.bool == true)
    #expect(user?["customAttributes"]?.string == #"{"a":1}"#)
    #expect(user?["lastLoginAt"] == nil)
    let list = await owner("GET", "\(project)/accounts:batchGet?maxResults=1", "")
    #expect(list.json["users"]?.array?.count == 1)
    #expect(list["nextPageToken"] == "ada")
    let next = await owner("GET", "\(project)/accounts:batchGet?maxResults=1&nextPageToken=ada", "")
    #expect(next.status == 200 && next.json["users"] == nil && next["nextPageToken"] == nil)
    #expect(await owner("POST", "\(project)/accounts:delete", #"{"localId":"ada"}"#).status == 200)
    let gone = await owner("POST", "\(project)/accounts:delete", #"{"localId":"ada"}"#)
    #expect(gone.message == "USER_NOT_FOUND")
  }

  @Test func `one answer names what is left of many`() async {
    _ = await owner("POST", "\(project)/accounts", #"{"localId":"ada"}"#)
    let reply = await owner("POST", "\(project)/accounts:batchDelete", #"{"localIds":["x","ada"]}"#)
    #expect(reply.json["errors"]?.array?.first?["index"]?.integer == 1)
    #expect(reply.json["errors"]?.array?.first?["localId"]?.string == "ada")
  }

  @Test func `a tenant is in the path`() async throws {
    _ = try await scene.provider.createTenant("t")
    let made = await owner("POST", "\(project)/tenants/t/accounts", #"{"localId":"ada"}"#)
    #expect(made["localId"] == "ada")
    let there = await owner("POST", "\(project)/tenants/t/accounts:lookup", #"{"localId":["ada"]}"#)
    #expect(there.json["users"]?.array?.first?["tenantId"]?.string == "t")
    let here = await owner("POST", "\(project)/accounts:lookup", #"{"localId":["ada"]}"#)
    #expect(here.json["users"]?.array ?? [] == [])
    let none = await owner("POST", "\(project)/tenants/none/accounts:lookup", #"{"localId":["ada"]}"#)
    #expect(none.message == "INVALID_TENANT_ID")
  }

  @Test func `another project is not here`() async {
    let path = "/identitytoolkit.googleapis.com/v1/projects/other/accounts"
    let reply = await owner("POST", path, #"{"localId":"ada"}"#)
    #expect(reply.status == 404)
    #expect(reply.message?.hasPrefix("PROJECT_NOT_FOUND") == true)
  }

  @Test func `a client's path is an administrator's as well, with a credential`() async {
    let signedUp = await scene.signUp()
    let uid = signedUp["localId"] ?? ""
    let path = "/identitytoolkit.googleapis.com/v1/accounts:lookup"
    let found = await owner("POST", path, #"{"localId":["\#(uid)"]}"#)
    #expect(found.json["users"]?.array?.count == 1)
    let own = await scene.post(path, #"{"idToken":"\#(signedUp.idToken)"}"#)
    #expect(own.json["users"]?.array?.count == 1)
    let others = await scene.post(path, #"{"localId":["\#(uid)"]}"#)
    #expect(others.status == 400, "a client names no account")
  }

  @Test func `a link and a cookie are made`() async {
    let signedUp = await scene.signUp()
    let link = await owner(
      "POST", "\(project)/accounts:sendOobCode",
      #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","returnOobLink":true}"#)
    #expect(link["oobLink"]?.contains("mode=resetPassword") == true)
    let cookie = await owner(
      "POST", "\(project):createSessionCookie", #"{"idToken":"\#(signedUp.idToken)","validDuration":300}"#)
    #expect(cookie["sessionCookie"]?.isEmpty == false)
    let counted = await owner("POST", "\(project)/accounts:query", #"{"returnUserInfo":false}"#)
    #expect(counted["recordsCount"] == "1")
  }

  private func owner(_ method: String, _ path: String, _ json: String) async -> Reply {
    await scene.send(
      ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
  }
}
