import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseServer
import Testing

/// The pages for popups and redirects of Firebase's JavaScript SDK. `scripts/interop` tries them in a browser.
struct EmulatorPagesTests {
  private static let handler =
    "/emulator/auth/handler?apiKey=k&appName=%5BDEFAULT%5D&authType=signInViaPopup&providerId=google.com"
  private static let frame = "/emulator/auth/iframe?apiKey=k&appName=%5BDEFAULT%5D"

  private func emulator() -> ServerScene {
    ServerScene(isEmulator: true, options: { $0.emulatorOrigins = ["https://app.test:8443"] })
  }

  @Test func `only an emulator has pages for popups and redirects`() async {
    for path in [Self.handler, Self.frame] {
      #expect(await emulator().get(path).status == 200)
      #expect(await ServerScene().get(path).status == 404)
    }
  }

  @Test func `a frame and a popup may show the pages`() async {
    for path in [Self.handler, Self.frame] {
      let headers = await emulator().get(path).response.headers
      #expect(headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(headers["X-Frame-Options"] == nil && headers["Cross-Origin-Opener-Policy"] == nil)
      #expect(headers["Content-Security-Policy"]?.contains("frame-ancestors") == false)
    }
  }

  @Test func `the page of a popup runs its own script only`() async throws {
    let reply = await emulator().get(Self.handler)
    let page = String(decoding: reply.response.body, as: UTF8.self)
    let script = try #require(page.firstMatch(of: /<script>(.*?)<\/script>/.dotMatchesNewlines())).output.1
    let hash = Data(try HashAlgorithm.sha256.hash(Array(script.utf8))).base64EncodedString()
    let policy = try #require(reply.response.headers["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-\(hash)'; "))
  }

  @Test func `the users of the identity provider are listed, of the tenant alone`() async throws {
    let scene = emulator()
    let owner: TransportHeaders = ["Authorization": "Bearer owner"]
    let tenant = await scene.post("/v2/projects/local/tenants", #"{"displayName":"North"}"#, headers: owner)
    let id = try #require(tenant.resourceID)
    for (provider, subject, tenant) in [("google.com", "g", ""), ("github.com", "h", ""), ("google.com", "t", id)] {
      let member = tenant.isEmpty ? "" : #","tenantId":"\#(tenant)""#
      let claims = #"{\"sub\":\"\#(subject)\",\"email\":\"\#(subject)@example.com\",\"name\":\"Ada\"}"#
      let body =
        #"{"requestUri":"http://localhost","postBody":"providerId=\#(provider)&id_token=\#(claims)"\#(member)}"#
      #expect(await scene.post("/v1/accounts:signInWithIdp", body).status == 200)
    }
    for (query, subject) in [("", "g"), ("&tid=\(id)", "t")] {
      let data = try Self.data(of: await scene.get(Self.handler + query))
      let expected: JSONValue = [["sub": .string(subject), "email": .string("\(subject)@example.com"), "name": "Ada"]]
      #expect(data["accounts"] == expected)
    }
  }

  @Test func `no text of a request or an account is markup in the page`() async throws {
    let scene = emulator()
    let odd = "</script><script>alert(1)</script><!--"
    let claims = FormEncoding.encode([("providerId", "google.com"), ("id_token", #"{"sub":"1","name":"\#(odd)"}"#)])
    let body: JSONObject = ["requestUri": "http://localhost", "postBody": .string(claims)]
    #expect(await scene.post("/v1/accounts:signInWithIdp", body.description).status == 200)
    let plain = await scene.get(Self.handler)
    let query = FormEncoding.encode([
      ("apiKey", odd), ("appName", odd), ("authType", "signInViaRedirect"), ("providerId", "google.com"),
      ("eventId", odd), ("redirectUrl", "http://localhost/#\(odd)"),
    ])
    let reply = await scene.get("/emulator/auth/handler?\(query)")
    for reply in [plain, reply] {
      let page = String(decoding: reply.response.body, as: UTF8.self)
      #expect(page.matches(of: /<script/).count == 2 && !page.contains("<!--"))
      #expect(try Self.data(of: reply)["accounts"]?.array?.first?["name"]?.string == odd)
    }
    #expect(try Self.data(of: reply)["apiKey"]?.string == odd)
  }

  @Test(arguments: [
    ("http://localhost:5173/a?b#c", 200), ("http://127.0.0.1/", 200), ("http://[::1]:3000/", 200),
    ("https://app.test:8443/", 200), ("https://evil.example/", 403), ("//evil.example/", 403),
    ("javascript:alert(1)", 403), ("http://localhost@evil.example/", 403), (#"http://evil.example\.localhost/"#, 403),
    (#"http:\\evil.example/"#, 403), ("data:text/html,x", 403), ("http://localhost.evil.example/", 403),
  ])
  func `a redirect leads to a page that may use the emulator`(page: String, status: Int) async throws {
    for authType in ["signInViaRedirect", "signInViaPopup"] {
      let query = FormEncoding.encode([
        ("apiKey", "k"), ("providerId", "google.com"), ("authType", authType), ("redirectUrl", page),
      ])
      #expect(await emulator().get("/emulator/auth/handler?\(query)").status == status)
    }
  }

  private static let navigations: [(String?, String?, Int)] = [
    ("http://localhost:5173/", "cross-site", 200), ("https://app.test:8443/", "cross-site", 200),
    ("https://evil.example/", "cross-site", 403), ("https://evil.example/", nil, 403), (nil, "cross-site", 403),
    (nil, "none", 200), (nil, "same-site", 200), ("http://localhost.evil.example/", "same-site", 403),
  ]

  @Test(arguments: navigations)
  func `another page shows them neither in a frame nor in a window`(referer: String?, site: String?, status: Int) async
  {
    var headers: TransportHeaders = ["Host": "localhost:9099"]
    headers["Referer"] = referer
    headers["Sec-Fetch-Site"] = site
    for path in [Self.handler, Self.frame] { #expect(await emulator().get(path, headers: headers).status == status) }
  }

  @Test(arguments: [
    "apiKey=k", "providerId=google.com&authType=signInViaPopup", "apiKey=k&providerId=google.com",
    "apiKey=k&providerId=google.com&authType=verifyApp&redirectUrl=http://localhost/",
    "apiKey=k&providerId=google.com&authType=linkViaRedirect",
    "apiKey=&providerId=google.com&authType=signInViaPopup",
  ])
  func `a page that could not answer is refused`(query: String) async {
    #expect(await emulator().get("/emulator/auth/handler?\(query)").status == 400)
  }

  /// Popups send the claims in the URL that the page made, and no `postBody`.
  @Test func `an emulator reads a sign-in from the query of requestUri`() async throws {
    let scene = emulator()
    let token = "%7B%22sub%22%3A%22007%22%2C%22screen_name%22%3A%22ada%22%7D"
    for (body, isTaken) in [("", true), (#","postBody":"""#, true), (#","postBody":"access_token=1""#, false)] {
      let json = #"""
        {"requestUri":"http://localhost/emulator/auth/handler?providerId=github.com&id_token=\#(token)#x",
        "sessionId":"s","returnSecureToken":true,"returnIdpCredential":true\#(body)}
        """#
      let reply = await scene.post("/v1/accounts:signInWithIdp", json)
      #expect(reply.status == (isTaken ? 200 : 400), "\(body)")
      #expect(await ServerScene().post("/v1/accounts:signInWithIdp", json).message?.hasPrefix("INVALID_IDP") == true)
      guard isTaken else { continue }
      #expect(reply["providerId"] == "github.com" && reply["federatedId"] == "007" && reply["screenName"] == "ada")
      // Clients make GitHub's credential of the access token, and sign in with it again.
      let token = try #require(reply["oauthAccessToken"])
      let again = FormEncoding.encode([("providerId", "github.com"), ("access_token", token)])
      let second: JSONObject = ["requestUri": "http://localhost", "postBody": .string(again)]
      #expect(await scene.post("/v1/accounts:signInWithIdp", second.description)["localId"] == reply["localId"])
    }
  }

  /// The values that the page's script reads.
  private static func data(of reply: Reply) throws -> JSONObject {
    let page = String(decoding: reply.response.body, as: UTF8.self)
    let found = try #require(page.firstMatch(of: /id="data">(.*?)<\/script>/))
    return try JSONObject(reading: found.output.1.utf8)
  }
}
