import GatehouseJOSE
import Testing

/// Where `gate verify` takes its keys from, besides the home.
@Suite struct VerifyKeysTests {
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

  @Test func `plain HTTP to another machine is refused`() async throws {
    try await GateHome.withNone { home in
      for batch in [[], ["--batch"]] {
        let outcome = try await home.gate(["verify", "--jwks", "http://keys.invalid/keys"] + batch, input: [])
        #expect(outcome.status == 1 && outcome.errors.contains("[insecureConnection]"), "\(outcome)")
      }
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
