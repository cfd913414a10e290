import GatehouseBase
import GatehouseServer
import Testing

/// The language of a message, which any client may choose.
struct LocaleTests {
  @Test(
    arguments: [
      ("de", true), ("pt-BR", true), ("de_AT", true), ("zh-Hant-CN-x-private1-private2", true),
      (String(repeating: "d", count: 35), true), (String(repeating: "d", count: 36), false), ("", false),
      (String(repeating: "d", count: 15_000), false), ("de https://evil.example", false), ("d\u{E9}", false),
      ("de&oobCode=x", false), ("../de", false),
    ])
  func `a message's link has the language of the request if it is one, and no other text`(
    _ language: String, isKept: Bool
  ) async throws {
    let scene = ServerScene(isEmulator: true)
    let body = #"{"requestType":"EMAIL_SIGNIN","email":"ada@example.com","continueUrl":"http://localhost/app"}"#
    let reply = await scene.post("/v1/accounts:sendOobCode", body, headers: ["X-Firebase-Locale": language])
    #expect(reply.status == 200)
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array
    let link = try #require(codes?.last?["oobLink"]?.string)
    #expect(link.contains("lang=") == isKept && link.contains("lang=\(language)") == isKept, "\(link)")
    #expect(link.utf8.count < 400)
  }
}
