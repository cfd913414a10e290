import GatehouseBase
import GatehouseHTTP
import GatehouseTesting
import IdentityToolkit
import Testing

@testable import GatehouseREST

/// What goes over the wire is what Google's clients send.
struct QuestionTests {
  private let transport = RecordingTransport()
  private static let signUp = "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=k%26y"

  @Test func `a call is a POST of its members as JSON, with the key in the query`() async throws {
    _ = try? await backend().answer(SignUp(email: "a@b", password: Secret("p")))
    let request = try #require(transport.requests.first)
    #expect(request.method == .post)
    #expect(request.url == Self.signUp)
    #expect(request.headers["Content-Type"] == "application/json")
    #expect(request.headers["X-Firebase-Locale"] == nil)
    let body = try JSONObject(parsing: try #require(request.body))
    #expect(body["email"]?.string == "a@b")
    #expect(body["password"]?.string == "p")
    #expect(body.members.count == 3)
  }

  @Test func `a refresh is a form for the token service`() async throws {
    _ = try? await backend().answer(ExchangeRefreshToken(refreshToken: Secret("a+b/c=")))
    let request = try #require(transport.requests.first)
    #expect(request.url == "https://securetoken.googleapis.com/v1/token?key=k%26y")
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.body == Array("grant_type=refresh_token&refresh_token=a%2Bb%2Fc%3D".utf8))
  }

  @Test func `what is only asked for travels as a query`() async throws {
    var call = GetPasswordPolicy()
    call.tenantId = "t"
    _ = try? await backend().answer(call)
    let request = try #require(transport.requests.first)
    #expect(request.method == .get)
    #expect(request.body == nil)
    #expect(request.url == "https://identitytoolkit.googleapis.com/v2/passwordPolicy?key=k%26y&tenantId=t")
  }

  @Test func `the language travels in a header, and not in the body`() async throws {
    var call = SendOobCode(.passwordReset)
    call.locale = "pt-BR"
    _ = try? await backend().answer(call)
    let request = try #require(transport.requests.first)
    #expect(request.headers["X-Firebase-Locale"] == "pt-BR")
    #expect(try JSONObject(parsing: try #require(request.body)) == ["requestType": "PASSWORD_RESET"])
  }

  @Test func `header fields of one's own go along, and win`() async throws {
    var options = RESTOptions(server: .google)
    options.headers = ["X-Ios-Bundle-Identifier": "org.example", "accept": "text/json"]
    options.timeout = .seconds(7)
    _ = try? await backend(options).answer(Delete(idToken: Secret("t")))
    let request = try #require(transport.requests.first)
    #expect(request.headers["X-Ios-Bundle-Identifier"] == "org.example")
    #expect(request.headers.values(of: "Accept") == ["text/json"])
    #expect(request.timeout == .seconds(7))
  }

  @Test func `the device's cookie goes to servers of one's own, and not to Google's`() async throws {
    for (server, sent) in [(RESTServer.google, nil), (RESTServer(url: "http://localhost:9099"), "cookie")] {
      var options = RESTOptions(server: server)
      options.device = Secret("cookie")
      _ = try? await backend(options).answer(SendOobCode(.passwordReset))
      #expect(transport.requests.last?.headers["X-Gatehouse-Device"] == sent)
      options.device = nil
      _ = try? await backend(options).answer(SendOobCode(.passwordReset))
      #expect(transport.requests.last?.headers["X-Gatehouse-Device"] == sent.map { _ in "new" })
    }
  }

  @Test(arguments: ["http://localhost:9099", "http://localhost:9099/", "http://localhost:9099//"])
  func `a server of one's own has both services under its URL`(url: String) async throws {
    let backend = backend(RESTOptions(server: RESTServer(url: url)))
    _ = try? await backend.answer(Delete(idToken: Secret("t")))
    _ = try? await backend.answer(ExchangeRefreshToken(refreshToken: Secret("r")))
    #expect(
      transport.requests.map(\.url) == [
        "http://localhost:9099/identitytoolkit.googleapis.com/v1/accounts:delete?key=k%26y",
        "http://localhost:9099/securetoken.googleapis.com/v1/token?key=k%26y",
      ])
  }

  @Test func `an emulator takes the place of the server`() async throws {
    let backend = backend()
    try backend.useEmulator(withHost: "127.0.0.1", port: 9099)
    _ = try? await backend.answer(Delete(idToken: Secret("t")))
    #expect(
      transport.requests.first?.url
        == "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:delete?key=k%26y")
  }

  @Test(arguments: [
    (nil, "https://securetoken.googleapis.com"), ("", "https://securetoken.googleapis.com"),
    ("localhost:9099", "http://localhost:9099/securetoken.googleapis.com"),
  ])
  func `the emulator's variable names a host, and nothing else`(value: String?, url: String) {
    #expect(RESTServer.standard(emulator: value).secureToken == url)
  }

  @Test func `services may have URLs of their own`() async throws {
    let server = RESTServer(
      identityToolkit: "https://auth.example.org/toolkit", secureToken: "https://sts.example.org/")
    let backend = backend(RESTOptions(server: server))
    _ = try? await backend.answer(Delete(idToken: Secret("t")))
    _ = try? await backend.answer(ExchangeRefreshToken(refreshToken: Secret("r")))
    #expect(
      transport.requests.map(\.url) == [
        "https://auth.example.org/toolkit/v1/accounts:delete?key=k%26y", "https://sts.example.org/v1/token?key=k%26y",
      ])
  }

  @Test(arguments: ["", "localhost:9099", "ftp://a", "http://a b", "https://"])
  func `a URL that is none is refused as the caller's mistake`(url: String) async {
    let backend = RESTBackend(apiKey: "k", options: RESTOptions(server: RESTServer(url: url)))
    await #expect { try await backend.answer(Delete(idToken: Secret("t"))) } throws: {
      ($0 as? AuthError)?.code == .invalidArgument
    }
  }

  @Test func `plain HTTP goes to this machine only`() async {
    let backend = RESTBackend(
      apiKey: "k", options: RESTOptions(server: RESTServer(url: "http://auth.example.org")))
    await #expect { try await backend.answer(Delete(idToken: Secret("t"))) } throws: {
      ($0 as? AuthError)?.code == .insecureConnection
    }
  }

  @Test func `one line stands for Google`() {
    let backend: any Backend = .identityPlatform(apiKey: "k")
    #expect(!backend.rotatesRefreshTokens)
    var options = RESTOptions()
    options.rotatesRefreshTokens = true
    #expect(RESTBackend(apiKey: "k", options: options).rotatesRefreshTokens)
  }

  private func backend(_ options: RESTOptions = RESTOptions(server: .google)) -> RESTBackend {
    RESTBackend(apiKey: "k&y", options: options, transport: transport)
  }
}
