import GatehouseBase
import Testing

/// Tests of sessions at other servers: an emulator whose tokens are unsigned, and servers that return something other
/// than a token of the user.
@Suite(.enabled("python3 is not installed") { await WebServer.isThere })
struct ForeignServerTests {
  /// Returns an unsigned token, like those of Firebase's emulator.
  private static func unsigned(_ claims: JSONObject) -> String {
    let header: JSONObject = ["alg": "none", "typ": "JWT"]
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))."
  }

  /// Signs in at a server that returns this token to the user `u1`, and then runs a line of shell.
  private static func signedIn(_ token: String, _ line: String) async throws -> ChildProcess.Outcome {
    try await GateHome.withNone { home in
      var child = ChildProcess(
        "python3",
        [
          "-c", program,
          """
          export GATEHOUSE_HOME="$home" GATEHOUSE_BACKEND="$url" GATEHOUSE_API_KEY=k; echo secret > password
          gate sign-in ada@example.com --password-file password > signed-in || exit 9
          \(line)
          """,
        ])
      child.folder = home.folder
      child.environment = home.environment.merging(["token": token]) { $1 }
      return try await child.run()
    }
  }

  private static let program = """
    import http.server, json, os, subprocess, sys, threading
    class Handler(http.server.BaseHTTPRequestHandler):
      def log_message(self, *arguments): pass
      def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        user = {"localId": "u1", "email": "ada@example.com"}
        tokens = {"idToken": os.environ["token"], "refreshToken": "r", "expiresIn": "3600"}
        body = json.dumps({"users": [user]} if "lookup" in self.path else {**user, **tokens}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    environment = dict(os.environ, url=url, no_proxy="127.0.0.1")
    sys.exit(subprocess.run(["/bin/sh", "-c", sys.argv[1]], env=environment).returncode)
    """

  @Test func `an unsigned token of an emulator is handed out, and does not stop a change`() async throws {
    let token = Self.unsigned(["sub": "u1", "user_id": "u1", "exp": 4_000_000_000])
    let outcome = try await Self.signedIn(
      token, "gate token; gate token --json; gate delete --yes --password-file password")
    let json: JSONObject = ["token": .string(token), "expires": 4_000_000_000]
    #expect(outcome.output.hasPrefix("\(token)\n\(json)\n"), "\(outcome)")
    #expect(!outcome.errors.contains("not signed"), "\(outcome)")
  }

  @Test(arguments: [
    ("not a token\r\nX", "what is no token"), ("", "what is no token"), ("a.b.c", "what is no token"),
    (unsigned(["sub": "u2"]), "a token of another user"),
    (unsigned(["sub": "u1", "user_id": "u2"]), "a token of another user"),
    (unsigned(["sub": 1]), "a token of another user"),
  ])
  func `what is no token of the user is not handed out`(token: String, reason: String) async throws {
    let outcome = try await Self.signedIn(
      token, "gate token; echo \"status $?\"; gate token --json > json")
    guard outcome.status != 9 else { return #expect(token.isEmpty, "\(outcome)") }
    #expect(outcome.output == "status 1\n" && outcome.errors.contains("the server returned \(reason)"), "\(outcome)")
  }
}
