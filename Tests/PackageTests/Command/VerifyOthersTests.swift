import Foundation
import GatehouseBase
import TestSupport
import Testing

/// `gate verify` with the tokens of other people's servers.
struct VerifyOthersTests {
  /// Makes a key, serves its public half and a document that names it; `$url` is the server and the issuer's beginning.
  private static func served(
    _ scene: KeyScene, _ line: String, at path: String = "/.well-known/openid-configuration", issuer: String = "$url",
    claims: String = #"{"sub":"ada"}"#, options: String = ""
  ) async throws -> ChildProcess.Outcome {
    try await WebServer.run(
      in: scene.home.folder,
      """
      set -e
      rm -rf .well-known
      gate key generate --out key --force > shown; gate jwks key > keys.json
      mkdir -p "$(dirname ".\(path)")"
      printf '{"issuer":"%s","jwks_uri":"%s/keys.json"}' "\(issuer)" "$url" > ".\(path)"
      sign() { gate jwt sign --key key --claims '\(claims)' --expires-in 600 "$@"; }
      \(line)
      """, environment: scene.home.environment)
  }

  @Test(
    .enabled("python3 is not installed") { await WebServer.isThere },
    arguments: [
      ("$url", "/.well-known/openid-configuration"), ("$url/", "/.well-known/openid-configuration"),
      ("$url/tenant/a", "/tenant/a/.well-known/openid-configuration"),
      ("$url/tenant/a", "/.well-known/oauth-authorization-server/tenant/a"),
    ])
  func `an issuer's keys are looked up`(issuer: String, path: String) async throws {
    try await KeyScene.with { scene in
      let line = "sign --issuer \"\(issuer)\" --audience app | gate verify --issuer \"\(issuer)\" --audience app"
      let good = try await Self.served(scene, line, at: path, issuer: issuer)
      #expect(good.succeeded && good.output.contains("(ada)"), "\(good)")
      let other = try await Self.served(scene, line + "x", at: path, issuer: issuer)
      #expect(other.status == 1 && other.errors.contains("[audienceMismatch]"), "\(other)")
    }
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `another issuer's document is refused, and a missing one named`() async throws {
    try await KeyScene.with { scene in
      let line = "sign --issuer \"$url\" --audience app | gate verify --issuer \"$url\" --audience app"
      let other = try await Self.served(scene, line, issuer: "$url/")
      #expect(other.status == 1 && other.errors.contains("as the document spells it [issuerMismatch]"), "\(other)")
      let none = try await Self.served(scene, line, at: "/elsewhere.json")
      #expect(none.status == 1 && none.errors.contains("openid-configuration gave status 404"), "\(none)")
      #expect(none.errors.contains("or give --jwks"))
      // A server that has a page for every address.
      let page = try await Self.served(
        scene, "echo '<html>' > .well-known/openid-configuration; \(line)")
      #expect(page.status == 1 && page.errors.contains("gave no JSON object"), "\(page)")
    }
  }

  /// A server chooses what is in its document: never a file of this machine.
  @Test(
    .enabled("python3 is not installed") { await WebServer.isThere },
    arguments: ["keys.json", "/dev/stdin", "file:///etc/passwd", "http://keys.invalid/keys", ""])
  func `the keys of an issuer come from a server`(place: String) async throws {
    try await KeyScene.with { scene in
      let write = "printf '{\"issuer\":\"%s\",\"jwks_uri\":\"\(place)\"}' \"$url\" > .well-known/openid-configuration"
      let outcome = try await Self.served(
        scene, "\(write); t=$(sign --issuer \"$url\" --audience app); gate verify --issuer \"$url\" --audience app $t")
      #expect(outcome.status == 1 && outcome.errors.contains("names no usable address of its keys"), "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `what a token says is shown within its line`() async throws {
    try await KeyScene.with { scene in
      let outcome = try await Self.served(
        scene, "sign --issuer me --audience a | gate verify --jwks keys.json --issuer me --audience a",
        claims: #"{"sub":"x\n gate: forged\u200b\u202e"}"#)
      #expect(outcome.output.hasSuffix(#"(x\n gate: forged\u{200B}\u{202E})"# + "\n"), "\(outcome)")
    }
  }

  @Test func `whom the token is for is always asked`() async throws {
    try await GateHome.withAda { home in
      for arguments in [["--issuer", "https://a.example"], ["--no-firebase-rules"]] {
        let outcome = try await home.gate(["verify", "a.b.c"] + arguments, input: [])
        #expect(outcome.status == 2 && outcome.errors.contains("--no-audience"), "\(outcome)")
      }
    }
  }

  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `each rule has its option`() async throws {
    try await KeyScene.with { scene in
      func expect(_ line: String, _ reason: String?) async throws {
        let outcome = try await Self.served(scene, line, claims: #"{"client_id":"x"}"#)
        guard let reason else { return #expect(outcome.succeeded, "\(outcome)") }
        #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(outcome)")
      }
      let sign = "sign --issuer me --typ at+jwt"
      let verify = "gate verify --jwks keys.json"
      try await expect("\(sign) | \(verify) --issuer me --no-audience", "give --typ with the token's type")
      try await expect("\(sign) | \(verify) --issuer me --no-audience --typ at+jwt", nil)
      try await expect("\(sign) | \(verify) --no-firebase-rules --no-audience --typ at+jwt", nil)
      try await expect("\(sign) | \(verify) --no-audience --typ at+jwt", "Mismatch]")
      try await expect("\(sign) | \(verify) --issuer me --no-audience --typ jwt", "[typeMismatch]")
      try await expect(
        "\(sign) | \(verify) --issuer me --no-audience --typ at+jwt --algorithms RS256,PS256", "[algorithmRefused]")
      try await expect(
        "\(sign) | \(verify) --issuer me --no-audience --typ at+jwt --algorithms RS256,ES256", nil)
      let late = "gate jwt sign --key key --issuer me --claims \"{\\\"exp\\\":$(( $(date +%s) - 30 ))}\""
      try await expect("\(late) | \(verify) --issuer me --no-audience", "[tokenExpired]")
      try await expect("\(late) | \(verify) --issuer me --no-audience --leeway 60", nil)
    }
  }

  @Test func `Firebase's rules may leave the audience out`() async throws {
    try await KeyScene.with { scene in
      let outcome = try await scene.home.shell(
        """
        gate key generate --type rsa --out key > shown; gate jwks key > keys
        issuer=https://securetoken.google.com/shop
        t=$(gate jwt sign --key key --issuer $issuer --audience other --expires-in 60 \
          --claims '{"sub":"ada","auth_time":1}')
        gate verify --jwks keys --issuer $issuer --no-audience "$t"
        gate verify --jwks keys --issuer $issuer "$t"
        """)
      #expect(outcome.output.contains("(ada)") && outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("[audienceMismatch]"), "\(outcome)")
    }
  }

  @Test(arguments: [
    ["--algorithms", "RS256,none"], ["--algorithms", ""], ["--leeway", "61"], ["--leeway", "-1"], ["--typ", ""],
    ["--issuer", ""], ["--audience", ""], ["--audience", "a", "--no-audience"], ["--jws", "--typ", "a"],
    ["--jws", "--no-firebase-rules"],
  ])
  func `rules that cannot be are wrong usage`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(["verify", "a.b.c"] + arguments, input: [])
      #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains("Usage:"), "\(outcome)")
    }
  }

  /// No network is there in this test, and none is asked.
  @Test func `the home's own issuer needs no server`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "gate token --home \"$home\" | gate verify --home \"$home\" --issuer https://securetoken.google.com/local")
      #expect(outcome.succeeded && outcome.output.contains("ada@example.com"), "\(outcome)")
    }
  }

  /// No server listens there: an answer about the token shows that none was asked.
  @Test func `a token of another issuer is refused before anything is fetched`() async throws {
    try await KeyScene.with { scene in
      let outcome = try await scene.home.shell(
        """
        gate key generate --out key > shown
        gate jwt sign --key key --issuer https://a.example --audience app --expires-in 60 | \
          gate verify --issuer http://127.0.0.1:1 --audience app
        """)
      #expect(outcome.status == 1 && outcome.errors.contains("[issuerMismatch]"), "\(outcome)")
    }
  }

  @Test func `a batch has the home's keys`() async throws {
    try await GateHome.withAda { home in
      let batch = "gate verify --batch --home \"$home\""
      let outcome = try await home.shell(
        "t=$(gate token --home \"$home\"); for i in 1 2; do echo \"{\\\"token\\\":\\\"$t\\\"}\"; done | \(batch)")
      let answers = try BatchScene.lines(of: outcome.output)
      #expect(answers.map(\.reason) == ["valid", "valid"], "\(outcome)")
    }
    // Without a home only the lines without keys are refused.
    let own = try BatchScene().question()
    let keyless = try BatchScene().question(without: "jwks")
    let answers = try await BatchScene.answers(to: [keyless, own, keyless])
    #expect(answers.map(\.reason) == ["providerUnavailable", "valid", "providerUnavailable"])
    #expect(answers.first?["message"]?.string?.contains("has no keys of its own") == true)
  }

  @Test func `a token of unknown keys is told where to have them from`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        """
        gate key generate --type rsa --kid other --out key > shown
        gate jwt sign --key key --issuer https://a.example --audience app --subject a --expires-in 60 | \
          gate verify --home "$home"
        """)
      #expect(outcome.status == 1 && outcome.errors.contains("give --issuer, or --jwks [unknownKey]"), "\(outcome)")
    }
  }
}
