import Foundation
import GatehouseBase
import GatehouseJOSE
import HangGuard
import TestSupport
import Testing

/// `gate verify --batch`: a line in, a line out.
struct BatchTests {
  /// Each takes as long as the cooldown of a server's keys, 30 seconds. They wait together, so that other tests can
  /// run.
  @Test(.enabled("python3 is not installed") { await WebServer.isThere })
  func `a batch follows a server that rotates its keys, or replaces one under its name`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for option in ["", "--jws"] {
        for refusal in ["unknownKey", "signatureInvalid"] {
          group.addTask { try await Self.follow(option: option, refusal: refusal) }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Asks until the answer is another one.
  private static func follow(option: String, refusal: String) async throws {
    let names = refusal == "unknownKey" ? "a b" : "same same"
    try await KeyScene.with { scene in
      let line = """
        set -- \(names); { gate key generate --out a --kid $1; gate key generate --out b --kid $2; } > shown
        sign() { gate jwt sign --key $1 --issuer me --audience app --expires-in 600; }
        first=$(sign a) second=$(sign b); gate jwks a > keys
        mkfifo in out; gate verify --batch \(option) --jwks "$url/keys" < in > out & exec 3> in 4< out
        ask() { printf '{"token":"%s"}\\n' "$1" >&3; read -r answer <&4 || exit 1; }
        ask "$first"; echo "$answer" | cut -c 1-13
        gate jwks b > new; mv new keys
        while ask "$second"; case $answer in *\(refusal)*) ;; *) false;; esac; do sleep 0.5; done
        echo "$answer" | cut -c 1-13
        ask "$first"; echo "$answer"
        """
      let outcome = try await WebServer.run(
        in: scene.home.folder, "timeout \(Watchdog.seconds) sh -c '\(line.replacing("'", with: "'\\''"))'",
        environment: scene.home.environment)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.prefix(2) == ["{\"valid\":true", "{\"valid\":true"], "\(outcome)")
      #expect(lines.last?.contains(refusal) == true && lines.count == 3, "\(outcome)")
    }
  }

  @Test func `good tokens are answered with their claims, in order`() async throws {
    let scene = try BatchScene()
    let subjects = (0..<40).map { "user \($0)" }
    let lines = try subjects.map { subject in
      var claims = BatchScene.claims
      claims["sub"] = .string(subject)
      return try scene.question(["token": .string(scene.token(claims))])
    }
    let answers = try await BatchScene.answers(to: lines)
    #expect(answers.map { $0["claims"]?["sub"]?.string } == subjects)
    #expect(answers.first?.names == ["valid", "claims"] && answers.allSatisfy { $0["valid"] == true })
  }

  @Test func `a line is answered whatever it holds`() async throws {
    let good = try BatchScene().question()
    let lines: [([UInt8], String)] = [
      ([], "jsonMalformed"),
      (Array("\r".utf8), "jsonMalformed"),
      (Array("token".utf8), "jsonMalformed"),
      (Array("[]".utf8), "jsonMalformed"),
      (Array("{\"token\":".utf8), "jsonMalformed"),
      ([0xFF, 0xFE, 0x00], "jsonMalformed"),
      (Array("{\"token\":\"a\",\"token\":\"b\"}".utf8), "jsonDuplicateMember"),
      (Array(repeating: UInt8(ascii: "["), count: 100_000), "jsonTooLarge"),
      (Array(repeating: UInt8(ascii: "a"), count: (1 << 20) + 1), "jsonTooLarge"),
      (Array(repeating: UInt8(ascii: "a"), count: 5 << 20), "jsonTooLarge"),
      (Array("{}".utf8), "invalidArgument"),
      (Array("\(good) \r".utf8), "valid"),
      (Array("\(good)".utf8), "valid"),
    ]
    try await GateHome.withNone { home in
      // The last one without an end.
      let input = Array(lines.map(\.0).joined(separator: [UInt8(ascii: "\n")]))
      let outcome = try await home.gate(["verify", "--batch"], input: input)
      #expect(outcome.succeeded && outcome.errors == "", "\(outcome)")
      #expect(try BatchScene.lines(of: outcome.output).map(\.reason) == lines.map(\.1))
    }
  }

  @Test func `no input has no answers`() async throws {
    #expect(try await BatchScene.answers(to: []).isEmpty)
  }

  @Test func `a line without an end takes little memory`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        "ulimit -d 150000; { head -c 400000000 /dev/zero | tr '\\0' a; echo; echo '{}'; } | gate verify --batch")
      #expect(outcome.succeeded, "\(outcome)")
      #expect(try BatchScene.lines(of: outcome.output).map(\.reason) == ["jsonTooLarge", "invalidArgument"])
    }
  }

  @Test func `a program can ask and wait`() async throws {
    let line = "\(try BatchScene().question())"
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        mkfifo in out; gate verify --batch < in > out & exec 3> in 4< out
        echo "$1" >&3; read -r first <&4; echo >&3; read -r second <&4; echo "$1" >&3; read -r third <&4
        exec 3>&-; wait $! || exit 9; printf '%s\\n' "$first" "$second" "$third"
        """, line)
      #expect(outcome.succeeded, "\(outcome)")
      #expect(try BatchScene.lines(of: outcome.output).map(\.reason) == ["valid", "jsonMalformed", "valid"])
    }
  }

  @Test func `an answer that nobody can read ends the batch`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell("echo | gate verify --batch > /dev/full")
      #expect(outcome.status == 1 && outcome.errors.contains("[storeFailed]"), "\(outcome)")
    }
  }

  @Test func `keys come as a set or as one, public, private or shared`() async throws {
    let scene = try BatchScene()
    let secret = try JWK(.symmetric(SecretKey.generate()), keyID: "shared")
    let shared = try secret.jsonRevealingSecrets()
    let tagged = JSONValue.string(try TokenSigner(secret).sign(BatchScene.claims))
    let answers = try await BatchScene.answers(to: [
      scene.question(),
      scene.question(["jwk": #require(scene.key.publicJWK).json], without: "jwks"),
      scene.question(["jwk": scene.key.jsonRevealingSecrets()], without: "jwks"),
      scene.question(["token": tagged, "jwk": shared], without: "jwks"),
      scene.question(["token": tagged, "jwks": ["keys": [shared]]]),
      // Refused: a set that publishes a private key, a mixture, no keys, keys twice, another key.
      scene.question(["jwks": ["keys": [scene.key.jsonRevealingSecrets()]]]),
      scene.question(["jwks": ["keys": [shared, #require(scene.key.publicJWK).json]]]),
      scene.question(without: "jwks"),
      scene.question(["jwk": #require(scene.key.publicJWK).json]),
      scene.question(["jwks": BatchScene(keyID: "other").keys]),
      scene.question(["jwks": BatchScene().keys]),
    ])
    let good = Array(repeating: "valid", count: 5)
    let refused = [
      "keySetInvalid", "keySetInvalid", "providerUnavailable", "invalidArgument", "unknownKey", "signatureInvalid",
    ]
    #expect(answers.map(\.reason) == good + refused)
  }

  @Test func `an algorithm must be allowed, and names that are not known allow nothing`() async throws {
    let scene = try BatchScene()
    let lists: [JSONValue] = [["ES256"], ["RS256", "ES256"], ["RS256"], [], ["none", "es256"], [1], "ES256"]
    let answers = try await BatchScene.answers(to: lists.map { try scene.question(["algorithms": $0]) })
    #expect(
      answers.map(\.reason) == [
        "valid", "valid", "algorithmRefused", "algorithmRefused", "algorithmRefused", "invalidArgument",
        "invalidArgument",
      ])
  }

  @Test func `a shared secret is never a public key`() async throws {
    let scene = try BatchScene(.rsa(bits: 2048))
    let text = try #require(scene.key.key.publicKey).pem()
    let answers = try await BatchScene.answers(to: [
      scene.question(["jwk": ["kty": "oct", "k": .string(Base64URL.encode(text.utf8))]], without: "jwks")
    ])
    #expect(answers.map(\.reason) == ["keyInvalid"])
  }

  @Test func `times count unless the line says otherwise`() async throws {
    let scene = try BatchScene()
    var endless = BatchScene.claims
    endless["exp"] = nil
    let unending = JSONValue.string(try scene.token(endless))
    let questions: [(JSONObject, String)] = [
      (["now": 1_700_003_599], "valid"),
      (["now": 1_700_003_600], "tokenExpired"),
      (["now": 1_700_003_610, "leeway": 30], "valid"),
      (["now": 1_700_003_610, "leeway": 61], "invalidArgument"),
      (["now": 1_699_999_000], "tokenNotYetValid"),
      (["now": -1], "invalidArgument"),
      (["now": "1700000100"], "invalidArgument"),
      (["now": 1_700_009_999, "checkTime": false], "valid"),
      (["token": unending], "claimInvalid"),
      (["token": unending, "checkTime": false], "valid"),
      (["checkTime": "no"], "invalidArgument"),

    ]
    let byClock = try scene.question(without: "now")
    let answers = try await BatchScene.answers(to: questions.map { try scene.question($0.0) } + [byClock])
    #expect(answers.map(\.reason) == questions.map(\.1) + ["tokenExpired"])
  }

  @Test func `issuer, audience and type are what the line says, if it says`() async throws {
    let scene = try BatchScene()
    let access = JSONValue.string(try scene.token(type: "at+jwt"))
    let questions: [(JSONObject, String)] = [
      (["issuer": "https://issuer.example", "audience": "app", "typ": "JWT"], "valid"),
      (["issuer": "https://issuer.example/"], "issuerMismatch"),
      (["audience": "App"], "audienceMismatch"),
      (["typ": "at+jwt"], "typeMismatch"),
      (["token": access], "typeMismatch"),
      (["token": access, "typ": "at+jwt"], "valid"),
      (["issuer": 1], "invalidArgument"),
    ]
    let answers = try await BatchScene.answers(to: questions.map { try scene.question($0.0) })
    #expect(answers.map(\.reason) == questions.map(\.1))
  }

  @Test func `a rule that is not known is named in the answer, whatever that is`() async throws {
    let scene = try BatchScene()
    let answers = try await BatchScene.answers(to: [
      scene.question(["isuer": "https://other.example", "id": 7]), scene.question(["audience": "other", "id": 7]),
      scene.question(["issuer": "https://issuer.example"]),
    ])
    #expect(answers.map(\.reason) == ["valid", "audienceMismatch", "valid"])
    #expect(answers.map { $0["ignored"] } == [["isuer", "id"], ["id"], nil])
  }

  @Test func `options are for lines that have no rules of their own`() async throws {
    let (scene, other) = (try BatchScene(), try BatchScene())
    let answers = try await BatchScene.answers(
      to: [
        scene.question(without: "jwks"), scene.question(["issuer": "https://other.example"], without: "jwks"),
        scene.question(),
        other.question(), other.question(["jwk": other.key.publicJWK?.json ?? .null], without: "jwks"),
        other.question(without: "jwks"),
      ], "--jwks", "keys", "--issuer", "https://issuer.example", "--audience", "app", files: ["keys": "\(scene.keys)"])
    #expect(answers.map(\.reason) == ["valid", "issuerMismatch", "valid", "valid", "valid", "signatureInvalid"])
  }

  @Test func `each line has its own keys, however many came before`() async throws {
    let scenes = try (0..<20).map { _ in try BatchScene() }
    let (first, others) = (scenes[0], scenes.dropFirst())
    var lines: [JSONObject] = []
    for other in others {
      lines += [try first.question(), try first.question(["jwks": other.keys]), try other.question()]
    }
    lines += try scenes.map { try $0.question() }
    let expected = others.flatMap { _ in ["valid", "signatureInvalid", "valid"] } + scenes.map { _ in "valid" }
    #expect(try await BatchScene.answers(to: lines).map(\.reason) == expected)
  }

  @Test func `a message may be any bytes`() async throws {
    let scene = try BatchScene()
    let payload: [UInt8] = [0, 0xFF, 0x0A]
    let message = try TokenSigner(scene.key).sign(payload: payload)
    let line: JSONObject = ["token": .string(message), "jwks": scene.keys]
    var asking = line
    asking["issuer"] = "https://issuer.example"
    let tampered: JSONObject = ["token": .string(message.replacing(".AP8K.", with: ".AP8L.")), "jwks": scene.keys]
    let answers = try await BatchScene.answers(to: [line, tampered, asking], "--jws")
    #expect(answers.map(\.reason) == ["valid", "signatureInvalid", "valid"])
    #expect(answers.last?["ignored"] == ["issuer"])
    #expect(answers.first == ["valid": true, "payload": .string(Base64URL.encode(payload))])
    #expect(try await BatchScene.answers(to: [line]).map(\.reason) == ["jsonMalformed"])
  }

  @Test(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
  func `Wycheproof's messages are answered as they are in the library`() async throws {
    var lines: [JSONObject] = []
    for group in try Vectors.groups("json_web_signature") {
      for test in group["tests"]?.array ?? [] {
        lines.append(["token": test["jws"] ?? "", "jwk": group["public"] ?? group["private"] ?? .null])
      }
    }
    let answers = try await BatchScene.answers(to: lines, "--jws")
    #expect(answers.count == 401 && answers.count { $0.reason == "valid" } == 42)
  }
}
