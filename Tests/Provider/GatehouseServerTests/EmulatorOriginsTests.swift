import GatehouseServer
import Testing

struct EmulatorOriginsTests {
  private static let own = [
    "http://localhost", "http://localhost:5173", "https://localhost:8443", "http://127.0.0.1:3000", "http://[::1]:8080",
    "https://app.test:8443", "http://app.localhost:3000", "capacitor://localhost",
  ]
  private static let foreign = [
    "https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "",
    "https://app.test", "http://app.test:8443", "http://localhost@evil.example", "file://",
    "localhost", "ionic://localhost", "http://localhost.evil.localhost.example",
  ]

  private func emulator() -> ServerScene {
    ServerScene(
      isEmulator: true,
      options: { $0.emulatorOrigins = ["https://app.test:8443", "capacitor://localhost", "nonsense"] })
  }

  @Test func `pages of this machine and of named origins use an emulator, and no others`() async {
    let scene = emulator()
    for (origins, isAllowed) in [(Self.own, true), (Self.foreign, false)] {
      for origin in origins {
        let reply = await scene.post(
          "/v1/accounts:signUp", "{}", headers: ["Origin": origin, "Content-Type": "text/plain"])
        #expect(reply.status == (isAllowed ? 200 : 403), "\(origin)")
        #expect(reply.response.headers["Access-Control-Allow-Origin"] == (isAllowed ? origin : nil), "\(origin)")
        let preflight = await scene.send(
          ServerRequest(
            "OPTIONS", "/v1/accounts:signUp", headers: ["Origin": origin, "Access-Control-Request-Method": "POST"]))
        #expect(preflight.status == (isAllowed ? 204 : 403), "\(origin)")
        #expect(preflight.response.headers["Access-Control-Allow-Origin"] == (isAllowed ? origin : nil), "\(origin)")
      }
    }
    #expect(await scene.post("/v1/accounts:signUp", "{}").status == 200)
  }

  @Test func `a public name that leads to this machine is not the emulator's`() async {
    let scene = ServerScene(
      isEmulator: true,
      options: { ($0.emulatorOrigins, $0.publicURL) = (["https://app.example.org"], "https://id.example.net") })
    let codes = "/emulator/v1/projects/local/oobCodes"
    for host in [
      "localhost:9099", "127.0.0.1:9099", "[::1]:9099", "10.0.0.7", "auth-emulator:9099", "host.docker.internal:9099",
      "app.localhost", "id.test", "app.example.org", "id.example.net:443", "localhost.", "docker.internal",
      "HOST.Docker.Internal.", "gateway.docker.internal:80",
    ] {
      #expect(await scene.get(codes, headers: ["Host": host]).status == 200, "\(host)")
    }
    for host in [
      "evil.example", "evil.example:9099", "127.0.0.1.evil.example", "evil.example.", "a b", "x@y",
      "evil.local", "evil.internal", "app.example.org.evil.example", "evildocker.internal", "evildocker.internal:9099",
      "host.docker.internal.evil.example", "eviltest.example", "evil.notlocalhost", "docker.internal.com",
    ] {
      #expect(await scene.get(codes, headers: ["Host": host]).status == 403, "\(host)")
    }
  }

  @Test(arguments: [
    "localhost/", "localhost/evil", "localhost?x", "localhost:9099/x", "localhost:port", "localhost:", ":9099",
    "localhost:0", "localhost:65536", "localhost:+80", "http://localhost", "[::1", "[::1]x", "[localhost]", "::1",
    "localhost, evil.example", "localhost evil.example", "localhost\t", "loc\u{E4}lhost", "local%68ost", "localhost\\",
    "user@localhost", ".localhost",
  ])
  func `a Host that is no host is none of an emulator`(host: String) async {
    let reply = await emulator().get("/emulator/v1/projects/local/oobCodes", headers: ["Host": host])
    #expect(reply.status == 403 && reply.json["oobCodes"] == nil, "\(host): \(reply.status)")
  }

  @Test func `an emulator over a provider that is none answers nothing`() async {
    var outbox: EmulatorOutbox?
    let scene = ServerScene({ outbox = $0.keepMessages() }, options: { $0.emulator = outbox })
    for path in ["/emulator/v1/projects/local/oobCodes", "/"] {
      #expect(await scene.get(path).status == 500)
    }
    #expect(await scene.post("/v1/accounts:signUp", "{}").status == 500)
  }
}
