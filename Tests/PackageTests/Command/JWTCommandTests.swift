import Foundation
import GatehouseJOSE
import Testing

/// `gate jwt sign`
struct JWTSignTests {
  @Test(arguments: [
    "gate jwt sign --key key --claims '{\"z\":1.50,\"a\":[true,null]}'",
    "gate jwt sign --key key --claims-file claims",
    "gate jwt sign --key key < claims",
    "gate jwt sign --key key --json < claims | sed 's/.*\"token\":\"\\([^\"]*\\).*/\\1/'",
  ])
  func `claims are signed as they are, wherever they come from`(line: String) async throws {
    try await KeyScene.with { scene in
      try scene.write(#"{"z": 1.50, "a": [true, null]}"#, to: "claims")
      _ = try await scene.output("gate key generate --out key")
      let token = try await scene.output(line).dropLast()
      let key = try scene.key(in: "key")
      var policy = VerificationPolicy(algorithms: [.ES256])
      policy.requiredClaims = []
      let verified = try TokenVerifier(keys: JWKSet([#require(key.publicJWK)]), policy: policy).verify(String(token))
      #expect("\(verified.claims)" == #"{"z":1.50,"a":[true,null]}"#)
      #expect(verified.header.keyID == key.keyID && verified.header.type == "JWT")
    }
  }

  @Test func `options set claims and header`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output("gate key generate --type rsa --format pem --out key")
      let token = try await scene.output(
        """
        echo '{"iss":"old","n":1}' | gate jwt sign --key key --issuer me --audience you --subject ada \
          --expires-in 600 --kid name --typ at+jwt --alg PS384
        """)
      let read = try UnverifiedToken(String(token.dropLast()))
      #expect(read.claims.names == ["iss", "n", "aud", "sub", "iat", "exp"])
      #expect(read.issuer == "me" && read.audience == ["you"] && read.subject == "ada")
      #expect(try #require(read.expiry) == #require(read.issuedAt).addingTimeInterval(600))
      #expect("\(read.header.members)" == #"{"alg":"PS384","kid":"name","typ":"at+jwt"}"#)
    }
  }

  @Test func `nothing on standard input is no claims`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output("gate key generate --type oct --out key")
      let token = try await scene.output("gate jwt sign --key key < /dev/null")
      #expect(try UnverifiedToken(String(token.dropLast())).claims.isEmpty)
    }
  }

  @Test func `gate verify takes what gate jwt sign makes`() async throws {
    try await KeyScene.with { scene in
      for type in ["rsa", "ec --curve P-384", "ec --curve P-521", "ec --curve secp256k1", "ed25519", "ed448"] {
        let answer = try await scene.output(
          """
          gate key generate --type \(type) --out key --force > shown && gate jwks key > keys &&
          gate jwt sign --key key --claims '{"aud":"app"}' --issuer me --subject ada --expires-in 600 |
          gate verify --jwks keys --issuer me --audience app
          """)
        #expect(answer.contains("(ada)"), "\(type)")
      }
    }
  }

  @Test func `a passphrase opens an encrypted key, from a file or standard input`() async throws {
    try await KeyScene.with { scene in
      try scene.write("open sesame\n", to: "phrase")
      try scene.write("close sesame\n", to: "wrong")
      _ = try await scene.output("gate key generate --format pem --passphrase-file phrase --out key")
      #expect(try scene.text(of: "key").hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
      let sign = "gate jwt sign --key key --claims {}"
      #expect(try await scene.output("\(sign) --passphrase-file phrase").hasPrefix("ey"))
      #expect(try await scene.output("gate jwt sign --key key --passphrase-stdin < phrase").hasPrefix("ey"))
      let wrong = try await scene.home.shell("\(sign) --passphrase-file wrong")
      #expect(
        wrong.status == 1 && wrong.errors.contains("[keyInvalid]") && !wrong.errors.contains("sesame"), "\(wrong)")
      let none = try await scene.home.shell("setsid -w \(sign)")
      #expect(none.status == 2 && none.errors.contains("--passphrase-file"), "\(none)")
      _ = try await scene.output("gate key generate --format pem --out open")
      try await scene.expect("gate jwt sign --key open --claims {} --passphrase-file phrase", toBe: "keyInvalid")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a passphrase is asked for and not shown`() async throws {
    try await KeyScene.with { scene in
      try scene.write("open sesame\n", to: "phrase")
      _ = try await scene.output("gate key generate --format pem --passphrase-file phrase --out key")
      let arguments = ["jwt", "sign", "--key", "key", "--claims", "{}"]
      let right = try await Terminal.run(scene.home, arguments, typing: ["open sesame"])
      #expect(right.status == 0 && right.output.contains("\ney") && !right.output.contains("sesame"), "\(right)")
      let wrong = try await Terminal.run(scene.home, arguments, typing: ["close sesame"])
      #expect(wrong.status == 1 && wrong.output.contains("[keyInvalid]"), "\(wrong)")
    }
  }

  @Test func `what cannot be signed is refused`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output("gate key generate --out key; gate jwks key > public")
      _ = try await scene.output("gate key generate --type x25519 --out agreement")
      try scene.write("{\"keys\":[]}", to: "empty")
      for (options, code) in [
        ("--key public --claims {}", "algorithmRefused"), ("--key agreement --claims {}", "algorithmRefused"),
        ("--key key --alg RS256 --claims {}", "algorithmRefused"), ("--key empty --claims {}", "keySetInvalid"),
        ("--key key --claims []", "jsonMalformed"), ("--key key --claims '{\"a\":1,\"a\":2}'", "jsonDuplicateMember"),
        ("--key nothing --claims {}", "storeUnreadable"), ("--key key --claims-file nothing", "storeUnreadable"),
        ("--key /dev/zero --claims {}", "invalidArgument"), ("--key key < /dev/zero", "invalidArgument"),
      ] {
        try await scene.expect("gate jwt sign \(options)", toBe: code)
      }
    }
  }
}

/// `gate jwt decode`
struct JWTDecodeTests {
  private static let unsecured = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ."
  private static let encrypted = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA"

  private static func signed(_ claims: JSONObject) throws -> String {
    try TokenSigner(key: SecretKey(Array(repeating: 7, count: 32))).sign(claims)
  }

  @Test(arguments: ["gate jwt decode \"$1\"", "echo \"$1\" | gate jwt decode", "gate jwt decode --json \"$1\""])
  func `in a pipe it is a line of JSON, and the warning is on standard error`(line: String) async throws {
    let token = try Self.signed(["sub": "ada", "exp": 1_700_000_000])
    try await GateHome.withNone { home in
      let outcome = try await home.shell(line, token)
      #expect(outcome.succeeded && outcome.errors.contains("NOTHING WAS VERIFIED"), "\(outcome)")
      #expect(
        outcome.output == """
          {"header":{"alg":"HS256","typ":"JWT"},"claims":{"sub":"ada","exp":1700000000},"verified":false}

          """)
    }
  }

  @Test func `a token without a signature says alg none`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("jwt", "decode", Self.unsecured)
      #expect(outcome.output == "{\"header\":{\"alg\":\"none\"},\"claims\":{\"iss\":\"joe\"},\"verified\":false}\n")
      #expect(outcome.errors.contains("alg: none"), "\(outcome)")
    }
  }

  @Test func `of an encrypted token it shows the header`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("jwt", "decode", Self.encrypted)
      #expect(
        outcome.output
          == "{\"header\":{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"},\"encrypted\":true,\"verified\":false}\n")
      #expect(outcome.errors.contains("encrypted"), "\(outcome)")
    }
  }

  @Test(arguments: [
    ("", "tokenMalformed"), ("a.b", "tokenMalformed"), ("a.b.c.d", "tokenMalformed"), ("a.b.c", "base64Malformed"),
    ("e30.e30.AA", "algorithmRefused"), ("....", "jsonMalformed"),
    ("Bearer eyJhbGciOiJub25lIn0.e30.", "tokenMalformed"),
    ("eyJhbGciOiJIUzI1NiJ9.e30.", "algorithmRefused"),
  ])
  func `what is no token is refused`(token: String, code: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("jwt", "decode", token)
      #expect(outcome.status == 1 && outcome.output == "" && outcome.errors.contains("[\(code)]"), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `on a terminal times are words, and the warning comes first`() async throws {
    let now = Date().timeIntervalSince1970.rounded(.down)
    let token = try Self.signed([
      "exp": .number(JSONNumber(Int64(now) + 3 * 3600 + 1800)), "iat": .number(JSONNumber(Int64(now) - 5400)),
      "auth_time": 1_700_000_000, "nbf": "soon", "firebase": ["identities": ["email": ["ada@example.com"]]],
    ])
    try await GateHome.withNone { home in
      let outcome = try await Terminal.run(home, ["jwt", "decode", token], typing: [])
      let lines = outcome.output.split(whereSeparator: \.isNewline).map(String.init)
      #expect(outcome.status == 0 && lines.first?.hasPrefix("NOTHING WAS VERIFIED") == true, "\(outcome)")
      #expect(lines.contains { $0.hasPrefix("  exp") && $0.hasSuffix(" UTC, in 3 hours") }, "\(outcome)")
      #expect(lines.contains { $0.hasPrefix("  iat") && $0.hasSuffix(" UTC, 1 hour ago") }, "\(outcome)")
      #expect(lines.contains { $0.contains("  1700000000  2023-11-14 22:13:20 UTC, ") }, "\(outcome)")
      #expect(lines.contains { $0.hasPrefix("  nbf") && $0.hasSuffix("  \"soon\"") }, "\(outcome)")
      #expect(lines.contains("      email  [\"ada@example.com\"]"), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere }, arguments: [30, 40, 80])
  func `what a token says fits the terminal`(columns: Int) async throws {
    let token = try Self.signed([
      "exp": 1_700_000_000, "email_verified": true, "scope": "read write  openid profile email address phone a b c d",
      "a_claim_with_a_name_of_some_length": "with some words of its own that go on",
      "firebase": ["sign_in": ["deep": ["deeper": "one two three four five six seven eight nine ten eleven"]]],
    ])
    try await GateHome.withNone { home in
      let outcome = try await Terminal.run(home, ["jwt", "decode", token], typing: [], columns: columns)
      let lines = outcome.output.split(whereSeparator: \.isNewline).map(String.init)
      // A word that is longer is alone on its line.
      let long = lines.filter { $0.count > columns && $0.split(separator: " ").count > 1 }
      #expect(outcome.status == 0 && long.isEmpty, "\(long) \(outcome)")
      #expect(outcome.output.contains("write  openid"), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a token has no power over the terminal`() async throws {
    let token = try Self.signed(["a\nclaims": "\u{1B}[2J\u{202E}\u{9B}2J"])
    let other = try Self.signed(["in\u{200B}visible": "a\u{200B}\u{2066}\u{FEFF}\u{2028}b"])
    try await GateHome.withNone { home in
      let outcome = try await Terminal.run(home, ["jwt", "decode", token], typing: [])
      #expect(outcome.output.contains("\"a\\nclaims\"  \"\\u001b[2J\\u{202E}\\u{009B}2J\""), "\(outcome)")
      let hidden = try await Terminal.run(home, ["jwt", "decode", other], typing: [])
      #expect(hidden.output.contains(#""in\u{200B}visible"  "a\u{200B}\u{2066}\u{FEFF}\u{2028}b""#), "\(hidden)")
    }
  }

  /// This applies to a terminal and to a pipe.
  @Test func `JSON of a token hides nothing, and is the same JSON`() async throws {
    let claims: JSONObject = ["in\u{200B}visible": "é\u{202E}\u{E0041}\u{AD}"]
    let token = try Self.signed(claims)
    try await GateHome.withNone { home in
      let outcome = try await home.gate("jwt", "decode", "--json", token)
      #expect(outcome.output.contains(#"{"in\u200bvisible":"é\u202e\udb40\udc41\u00ad"}"#), "\(outcome)")
      #expect(try JSONObject(parsing: outcome.output.utf8)["claims"] == .object(claims), "\(outcome)")
    }
  }
}
