import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Where `gate verify` takes its keys from, besides the home.
struct VerifyKeysTests {
  private static let sign =
    "gate jwt sign --key key --claims '{\"sub\":\"ada\"}' --issuer me --audience app --expires-in 600"

  private static func served(_ scene: KeyScene, _ line: String) async throws -> ChildProcess.Outcome {
    try await WebServer.run(in: scene.home.folder, line, environment: scene.home.environment)
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `keys may come from a server`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output("gate key generate --out key > shown; gate jwks key > keys.json")
      let verify = "gate verify --issuer me --audience app --jwks"
      let good = try await Self.served(scene, "\(Self.sign) | \(verify) \"$url/keys.json\"")
      #expect(good.succeeded && good.output.contains("(ada)"), "\(good)")
      let batch = try await Self.served(
        scene, "echo \"{\\\"token\\\":\\\"$(\(Self.sign))\\\"}\" | \(verify) \"$url/keys.json\" --batch")
      #expect(batch.succeeded && batch.output.hasPrefix("{\"valid\":true,"), "\(batch)")
      let missing = try await Self.served(scene, "\(Self.sign) | \(verify) \"$url/nothing\"")
      #expect(missing.status == 1 && missing.errors.contains("[keysUnavailable]"), "\(missing)")
    }
  }

  /// What signs with `name`, and certificates by the names of their keys, as Google serves them: `map.json`.
  private static let certified = """
    gate key generate --type rsa --format pem --out pem > shown
    openssl req -x509 -key pem -subj /CN=gate -days 2 -out certificate 2> log || cat log
    gate key convert pem --to jwk --kid name --alg RS256 --out key
    printf '{"other":%s,"name":"' "$(cat other)" > map.json
    awk '{ printf "%s\\\\n", $0 } END { print "\\"}" }' certificate >> map.json
    """

  @Test(
    .enabled("openssl or python3 is not installed") {
      await OpenSSLCommand.isThere ? await WebServer.isThere : false
    })
  func `keys may be certificates by their names, of a file or a server`() async throws {
    try await KeyScene.with { scene in
      try scene.write("\(JSONValue.string(CertificateFixture.leaf.rawValue))", to: "other")
      #expect(try await scene.output(Self.certified) == "")
      let verify = "gate verify --issuer me --audience app --jwks"
      for line in ["\(Self.sign) | \(verify) map.json", "\(Self.sign) | \(verify) \"$url/map.json\""] {
        let good = try await Self.served(scene, line)
        #expect(good.succeeded && good.output.contains("(ada)"), "\(good)")
      }
      let batch = try await scene.output(
        "echo \"{\\\"token\\\":\\\"$(\(Self.sign))\\\"}\" | \(verify) map.json --batch")
      #expect(batch.hasPrefix("{\"valid\":true,"), "\(batch)")
      // The same key under a name that another certificate has.
      try await scene.expect(
        "gate key convert pem --to jwk --kid other --out key --force; \(Self.sign) | \(verify) map.json",
        toBe: "algorithmRefused")
    }
  }

  @Test(arguments: ["{}", "[1]", "{\"a\":\"b\"}", "\(JSONValue.object(KeyScene.published))"])
  func `what is neither keys nor certificates is refused, with its place`(text: String) async throws {
    try await KeyScene.with { scene in
      try scene.write(text, to: "keys")
      let outcome = try await scene.home.shell("gate verify --jwks keys a.b.c")
      #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
      #expect(outcome.errors.hasPrefix("gate: keys: expected a JWK set or"), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `a scheme may be in capital letters`() async throws {
    try await KeyScene.with { scene in
      let line = "gate key generate --out key > shown; gate jwks key > keys.json; URL=HTTP${url#http}"
      let place = try await Self.served(
        scene, "\(line); \(Self.sign) | gate verify --issuer me --audience app --jwks \"$URL/keys.json\"")
      #expect(place.succeeded, "\(place)")
      let issuer = try await Self.served(
        scene,
        """
        \(line); mkdir .well-known
        printf '{"issuer":"%s","jwks_uri":"%s/keys.json"}' "$URL" "$URL" > .well-known/openid-configuration
        gate jwt sign --key key --claims '{"sub":"ada"}' --issuer "$URL" --audience app --expires-in 600 | \
          gate verify --issuer "$URL" --audience app
        """)
      #expect(issuer.succeeded, "\(issuer)")
    }
  }

  /// What the option takes is said. Nothing is asked, and a password is not repeated.
  @Test(arguments: [
    ("ftp://a.example/keys", "a URL that begins with https://"), ("file:///keys", "a URL that begins with https://"),
    ("ftp://ada:hush@a.example", "a URL that begins with https://"),
    ("https://ada:hush@a.example/keys", "must not hold a user name or a password"),
    ("HTTPS://ada:hush@a.example/keys", "must not hold a user name or a password"),
    ("https://hush@a.example", "must not hold a user name or a password"),
    ("https://a.example:hush", "has an invalid port"),
    ("http://192.0.2.1/keys", "plain HTTP to 192.0.2.1 is refused"), ("https://a.example/keys#hush", "has a fragment"),
    ("https://a.example/\(String(repeating: "a", count: 8200))", "is longer than 8192 bytes"),
  ])
  func `a URL that no keys can come from is wrong usage`(url: String, reason: String) async throws {
    try await GateHome.withNone { home in
      for option in ["--jwks", "--issuer"] {
        for rest in [["a.b.c", "--audience", "a"], ["--batch"]] {
          let outcome = try await home.gate(["verify", option, url, "--json"] + rest, input: Array("{}\n".utf8))
          #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(outcome)")
          #expect(outcome.errors.contains(option) && !"\(outcome)".contains("hush"), "\(outcome)")
        }
      }
    }
  }

  /// An issuer has no query, and a query may contain a secret.
  @Test func `an issuer with a query is wrong usage`() async throws {
    try await GateHome.withNone { home in
      for rest in [["a.b.c", "--audience", "a"], ["--batch"]] {
        let outcome = try await home.gate(
          ["verify", "--issuer", "https://a.example/?key=hush"] + rest, input: Array("{}\n".utf8))
        #expect(outcome.status == 2 && outcome.errors.contains("--issuer has a query"), "\(outcome)")
        #expect(!"\(outcome)".contains("hush"), "\(outcome)")
      }
    }
  }

  @Test func `one key, or PEM, is told how to become a set`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output(
        """
        gate key generate --out key; gate key generate --format pem --out pem
        for file in key pem; do gate key convert $file --to jwks > $file.set; done
        """)
      for (file, kind) in [("key", "a key"), ("pem", "PEM")] {
        let outcome = try await scene.home.shell("gate verify --jwks \(file) --issuer a --audience a a.b.c")
        let advice = "to make a JWK set of \(kind): gate key convert \(file) --to jwks"
        #expect(outcome.status == 1 && outcome.errors.contains(advice), "\(outcome)")
        try await scene.expect(
          "gate verify --jwks \(file).set --issuer a --audience a a.b.c", toBe: "base64Malformed")
      }
    }
  }

  /// As some editors leave it.
  @Test func `a byte order mark before keys is ignored`() async throws {
    try await KeyScene.with { scene in
      let answer = try await scene.output(
        """
        gate key generate --out key > shown; mark() { printf '\\357\\273\\277'; }
        { mark; gate jwks key; } > keys; { mark; cat key; } > marked; gate key thumbprint marked > thumbprint
        \(Self.sign) | gate verify --jwks keys --issuer me --audience app
        """)
      #expect(answer.contains("(ada)"), "\(answer)")
    }
  }

  @Test func `keys of which none is of use are refused`() async throws {
    try await KeyScene.with { scene in
      try scene.write("{\"keys\":[{\"kty\":\"new\"}]}", to: "keys")
      try await scene.expect("gate verify --jwks keys a.b.c", toBe: "keySetInvalid")
    }
  }

  @Test func `a set of shared secrets verifies what they sign`() async throws {
    try await KeyScene.with { scene in
      let answer = try await scene.output(
        """
        gate key generate --type oct --out key > shown; printf '{"keys":[%s]}' "$(cat key)" > keys
        \(Self.sign) | gate verify --jwks keys --issuer me --audience app
        """)
      #expect(answer.contains("(ada)"), "\(answer)")
    }
  }

  @Test func `a message is answered with its payload`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output("gate key generate --out key > shown; gate jwks key > keys")
      let message = try TokenSigner(scene.key(in: "key")).sign(payload: Array("any bytes".utf8))
      let payload = Base64URL.encode("any bytes".utf8)
      #expect(try await scene.output("gate verify --jws --jwks keys \(message)") == payload + "\n")
      #expect(
        try await scene.output("gate verify --jws --jwks keys --json \(message)")
          == "{\"valid\":true,\"payload\":\"\(payload)\"}\n")
      try await scene.expect("gate verify --jws --jwks keys \(message.dropLast(4))AAAA", toBe: "signatureInvalid")
      try await scene.expect("gate verify --jwks keys \(message)", toBe: "jsonMalformed")
    }
  }
}
