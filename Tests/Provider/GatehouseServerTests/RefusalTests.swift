import GatehouseBase
import GatehouseServer
import Logging
import TestSupport
import Testing

struct RefusalTests {
  @Test(arguments: [
    "", "{", "[]", "null", "{}{}", #"{"email":}"#, "\u{FEFF}{}", #"{"email":"a","email":"b"}"#,
    #"{"email":"a","\u0065mail":"b"}"#, #"{"a":\#(String(repeating: "[", count: 100_000))"#,
    #"{"a":\#(String(repeating: "[", count: 20))\#(String(repeating: "]", count: 20))}"#,
    #"{"\#(String(repeating: "n", count: 300))":1}"#, #"{"email":"\u{0}"}"#, #"{"email":"\ud800"}"#,
    #"{"email":1e999}"#,
  ])
  func `a body that is not JSON is refused in the protocol's words`(body: String) async throws {
    let reply = await ServerScene().post("/v1/accounts:signInWithPassword", body)
    #expect(reply.status == 400)
    // No body is a call without members.
    let begin = body.isEmpty ? "MISSING_EMAIL" : "Invalid JSON payload received. "
    #expect(reply.message?.hasPrefix(begin) == true)
    #expect(reply.json["error"]?["errors"]?.array?.first?["domain"]?.string == "global")
  }

  @Test func `bytes that are not UTF-8 are refused`() async {
    let scene = ServerScene()
    let json = ServerRequest("POST", "/v1/accounts:signUp?key=k", body: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
    #expect(await scene.send(json).status == 400)
    let form = ServerRequest(
      "POST", "/v1/token?key=k", headers: ["Content-Type": "application/x-www-form-urlencoded"], body: [0xFF])
    #expect(await scene.send(form).message == "the form is malformed")
  }

  @Test func `a key is asked for, in the query or in a header`() async {
    let scene = ServerScene()
    let path = "/v1/accounts:signUp"
    let none = await scene.send(ServerRequest("POST", path))
    #expect(none.status == 403)
    #expect(none.message == "The request is missing a valid API key.")
    #expect(await scene.send(ServerRequest("POST", "\(path)?key=")).status == 403)
    #expect(await scene.send(ServerRequest("POST", "\(path)?key=%zz")).status == 400)
    #expect(await scene.send(ServerRequest("POST", path, headers: ["x-goog-api-key": "k"])).status == 200)
  }

  @Test func `a key that is none of the list is refused`() async {
    let scene = ServerScene(options: { $0.apiKeys = ["right", "other"] })
    let wrong = await scene.send(ServerRequest("POST", "/v1/accounts:signUp?key=k"))
    #expect(wrong.status == 400)
    #expect(wrong.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
    #expect(await scene.send(ServerRequest("POST", "/v1/accounts:signUp?key=other")).status == 200)
  }

  @Test func `a refusal is the code, and the text where there is more to say`() async {
    let scene = ServerScene()
    _ = await scene.signUp()
    let taken = await scene.signUp()
    #expect(taken.message == "EMAIL_EXISTS")
    #expect(taken.json["error"]?["code"]?.integer == 400)
    #expect(taken.json["error"]?["errors"]?.array?.first?["reason"]?.string == "invalid")
    let weak = await scene.signUp("bob@example.com", "12345")
    #expect(weak.message?.hasPrefix("WEAK_PASSWORD : ") == true)
  }

  @Test func `what is wrong with the provider is in its log, and not in the answer`() async throws {
    let lines = LogLines()
    let scene = ServerScene(options: { $0.logger = Logger(label: "test") { _ in lines } })
    try scene.damage()
    let reply = await scene.signUp("ada@example.com", "correct horse")
    #expect(reply.status == 500)
    #expect(reply.message?.contains("/") == false)
    let line = try #require(lines.all.first)
    #expect(line.contains("POST /v1/accounts:signUp failed"))
    #expect(line.contains("correct horse") == false)
  }

  @Test func `a provider that was closed is unavailable`() async throws {
    let scene = ServerScene()
    try await scene.provider.close()
    let reply = await scene.signUp()
    #expect(reply.status == 503)
    #expect(reply.json["error"]?["status"]?.string == "UNAVAILABLE")
  }

  @Test func `requests and answers print nothing that they hold`() async {
    let scene = ServerScene()
    let request = ServerRequest(
      "POST", "/v1/accounts:signUp?key=secret1", headers: ["Authorization": "Bearer secret2"],
      body: Array(#"{"email":"a@example.com","password":"secret3"}"#.utf8))
    let answer = await scene.server.answer(request)
    var printed = ""
    dump(request, to: &printed)
    dump(answer, to: &printed)
    printed += "\(request) \(answer) \(String(reflecting: request)) \(String(reflecting: answer))"
    #expect(!printed.contains("secret"))
    #expect(!printed.contains("idToken"))
    #expect(printed.contains("POST /v1/accounts:signUp"))
  }
}
