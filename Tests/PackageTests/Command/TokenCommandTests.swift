import Foundation
import GatehouseJOSE
import Testing

/// Tokens and their verification, seen through the built command.
struct TokenCommandTests {
  /// A second provider's home: its keys are others.
  private static func stranger(_ home: GateHome) async throws -> String {
    let other = GateHome(folder: home.folder + "/other")
    try FileManager.default.createDirectory(atPath: other.folder, withIntermediateDirectories: true)
    let made = try await other.gate("sign-up", GateHome.email, "--password-stdin", input: GateHome.password)
    #expect(made.succeeded, "\(made)")
    return other.path
  }

  @Test(arguments: [
    "gate verify",
    "gate verify \"$(cat token)\"",
    "gate verify --json",
    "gate jwks > keys && gate verify --jwks keys",
    "gate jwks --json > keys && gate verify --jwks keys --issuer https://securetoken.google.com/local --audience local",
    "gate verify --issuer https://securetoken.google.com/local",
    "gate verify --audience local",
  ])
  func `gate verify takes what gate token gives`(line: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "gate token > token && exec < token && \(line)", environment: ["GATEHOUSE_HOME": home.path])
      #expect(outcome.succeeded && outcome.errors == "" && outcome.output.contains(GateHome.email), "\(outcome)")
    }
  }

  @Test(arguments: [
    ("--issuer https://securetoken.google.com/other", "issuerMismatch"),
    ("--audience other --issuer https://securetoken.google.com/local", "audienceMismatch"),
    ("--jwks none", "storeUnreadable"),
    ("--jwks token", "jsonMalformed"),
  ])
  func `gate verify says why it refuses`(options: String, reason: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "gate token > token && gate verify \(options) < token", environment: ["GATEHOUSE_HOME": home.path])
      #expect(outcome.status == 1 && outcome.errors.contains("[\(reason)]") && outcome.output == "", "\(outcome)")
    }
  }

  @Test func `another provider's token is refused, for programs as well`() async throws {
    struct Answer: Decodable {
      let valid: Bool
      let reason: String
    }
    try await GateHome.withAda { home in
      let stranger = try await Self.stranger(home)
      let outcome = try await home.shell(
        "gate --home \"$1\" token | gate --home \"$home\" verify --json", stranger)
      #expect(outcome.status == 1 && outcome.errors.contains("[unknownKey]"), "\(outcome)")
      let answer = try JSONDecoder().decode(Answer.self, from: Data(outcome.output.utf8))
      #expect(!answer.valid && answer.reason == "unknownKey")
    }
  }

  @Test func `a token that ends is refused`() async throws {
    try await GateHome.withAda { home in
      // A token of one second: a later verification fails, so the test asks again until one is in time.
      let outcome = try await home.shell(
        """
        gate token --force-refresh > token || exit 9
        while gate verify < token > first 2> second; do :; done; cat second >&2; cat first
        """, environment: ["GATEHOUSE_HOME": home.path, "GATEHOUSE_TOKEN_LIFETIME": "1"])
      #expect(outcome.errors.contains("[tokenExpired]") && outcome.output == "", "\(outcome)")
    }
  }

  @Test func `a fresh token is kept, and a forced refresh gets another`() async throws {
    try await GateHome.withAda { home in
      let first = try await home.gate("token").output
      #expect(try await home.gate("token", environment: ["GATEHOUSE_TOKEN_LIFETIME": "1800"]).output == first)
      let forced = try await home.gate(
        "token", "--force-refresh", "--json", environment: ["GATEHOUSE_TOKEN_LIFETIME": "1800"])
      #expect(forced.succeeded, "\(forced)")
      let answer = try JSONObject(parsing: forced.output.dropLast().utf8)
      let token = try UnverifiedToken(try #require(answer["token"]?.string))
      let issued = try #require(token.issuedAt)
      #expect(token.expiry == issued.addingTimeInterval(1800))
      #expect(answer["expires"]?.double == token.expiry?.timeIntervalSince1970)
      #expect(try await home.gate("token").output == answer["token"]?.string.map { $0 + "\n" })
    }
  }

  @Test func `the key set is public`() async throws {
    try await GateHome.withAda { home in
      let keys = try JWKSet(parsing: try await home.gate("jwks").output.dropLast().utf8)
      #expect(keys.keys.count == 1 && keys.keys.first?.algorithm == .signature(.RS256))
    }
  }

  @Test(.enabled("PyJWT with cryptography is not installed") { await PyJWT.isThere })
  func `PyJWT verifies the token with the same key set`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "gate jwks > keys && gate token | python3 -c \"$1\" keys", PyJWT.program,
        environment: ["GATEHOUSE_HOME": home.path])
      #expect(outcome.succeeded && outcome.output == "\(GateHome.email)\n", "\(outcome)")
      let tampered = try await home.shell(
        "gate token | sed 's/\\.eyJ/.eyK/' | python3 -c \"$1\" keys", PyJWT.program,
        environment: ["GATEHOUSE_HOME": home.path])
      #expect(!tampered.succeeded)
    }
  }
}

/// Another implementation, where it is installed.
private enum PyJWT {
  static var isThere: Bool {
    get async {
      let child = ChildProcess("python3", ["-c", "import jwt, cryptography; jwt.PyJWKSet"])
      return (try? await child.run())?.succeeded ?? false
    }
  }

  static let program = """
    import json, jwt, sys
    token = sys.stdin.read().strip()
    keys = jwt.PyJWKSet.from_dict(json.load(open(sys.argv[1])))
    key = keys[jwt.get_unverified_header(token)["kid"]].key
    issuer = "https://securetoken.google.com/local"
    print(jwt.decode(token, key, algorithms=["RS256"], issuer=issuer, audience="local")["email"])
    """
}
