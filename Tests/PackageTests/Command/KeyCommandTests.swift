import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// `gate key generate`
struct KeyGenerateTests {
  @Test func `without options it is a JWK for ES256, named by its thumbprint`() async throws {
    try await KeyScene.with { scene in
      let key = try JWK(parsing: try await scene.output("gate key generate").utf8)
      #expect(key.algorithm == .signature(.ES256) && key.use == "sig" && key.key.publicKey?.type == .p256)
      #expect(try key.keyID == key.thumbprint())
      #expect(key.signs(.ES256))
    }
  }

  @Test(arguments: [
    ("rsa", "RSA", "RS256", "sig"), ("rsa --bits 3072 --alg PS512", "RSA", "PS512", "sig"),
    ("rsa --alg RSA-OAEP-256", "RSA", "RSA-OAEP-256", "enc"), ("ec --curve P-384", "EC", "ES384", "sig"),
    ("ec --curve P-521", "EC", "ES512", "sig"), ("ec --curve secp256k1", "EC", "ES256K", "sig"),
    ("ec --use enc", "EC", nil, "enc"), ("ed25519", "OKP", "EdDSA", "sig"),
    ("ed448 --alg Ed448", "OKP", "Ed448", "sig"),
    ("x25519", "OKP", nil, "enc"), ("oct", "oct", "HS256", "sig"), ("oct --bits 512", "oct", "HS512", "sig"),
    ("oct --bits 128 --alg A128KW", "oct", "A128KW", "enc"),
  ])
  func `each kind of key can be made`(options: String, type: String, algorithm: String?, use: String) async throws {
    try await KeyScene.with { scene in
      let json = try JSONObject(parsing: await scene.output("gate key generate --kid name --type \(options)").utf8)
      #expect(json["kty"]?.string == type && json["alg"]?.string == algorithm && json["use"]?.string == use)
      #expect(try JWK(.object(json)).keyID == "name")
    }
  }

  @Test func `a private key is in a file that is its owner's only, and replaces none`() async throws {
    try await KeyScene.with { scene in
      let shown = try await scene.output("umask 0; gate key generate --out key --json")
      #expect(try scene.home.mode(of: "\(scene.home.folder)/key") == 0o600)
      #expect(shown.contains(try #require(scene.key(in: "key").keyID)) && !shown.contains("\"d\""))
      let first = try scene.text(of: "key")
      try await scene.expect("gate key generate --out key", toBe: "invalidArgument")
      #expect(try scene.text(of: "key") == first)
      _ = try await scene.output("gate key generate --out key --force")
      #expect(try scene.text(of: "key") != first)
      try await scene.expect("gate key generate --out nowhere/key", toBe: "storeFailed")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a private key is not shown on a terminal, unless it must be`() async throws {
    try await KeyScene.with { scene in
      let refused = try await Terminal.run(scene.home, ["key", "generate"], typing: [])
      #expect(
        refused.status == 1 && refused.output.contains("--out") && !refused.output.contains("\"d\""), "\(refused)")
      let forced = try await Terminal.run(scene.home, ["key", "generate", "--force"], typing: [])
      #expect(forced.status == 0 && forced.output.contains("\"d\""), "\(forced)")
      _ = try await scene.output("gate key generate --out key")
      let copied = try await Terminal.run(scene.home, ["key", "convert", "key", "--to", "pem"], typing: [])
      #expect(copied.status == 1 && !copied.output.contains("BEGIN"), "\(copied)")
      let published = try await Terminal.run(scene.home, ["key", "convert", "key", "--to", "jwks"], typing: [])
      #expect(published.status == 0, "\(published)")
    }
  }

  @Test func `a key that cannot serve its algorithm is not made`() async throws {
    try await KeyScene.with { scene in
      for options in ["--alg RS256", "--type oct --alg ES256", "--type oct --bits 128 --alg HS256"] {
        let outcome = try await scene.home.shell("gate key generate \(options)")
        #expect(outcome.status == 1 && outcome.output == "", "\(options)\n\(outcome)")
      }
    }
  }

  @Test(
    .enabled("openssl is not installed") { await OpenSSLCommand.isThere },
    arguments: ["rsa", "ec", "ed25519", "x25519"])
  func `openssl reads the PEM, encrypted or not`(type: String) async throws {
    try await KeyScene.with { scene in
      try scene.write("open sesame\n", to: "phrase")
      let output = try await scene.output(
        """
        gate key generate --type \(type) --format pem --out plain > shown
        openssl pkey -in plain -pubout -out first
        gate key convert plain --to pem --public > second && cmp first second
        gate key convert plain --to pem --new-passphrase-file phrase --out sealed
        openssl pkey -in sealed -passin file:phrase -pubout | cmp - first
        """)
      #expect(output == "")
      #expect(try scene.text(of: "sealed").hasPrefix("-----BEGIN ENCRYPTED"))
    }
  }
}

/// `gate key show`, `convert` and `thumbprint`, and `gate jwks` with files.
struct KeyCommandTests {
  @Test func `show tells everything but secrets`() async throws {
    try await KeyScene.with { scene in
      try scene.write("\(KeyScene.published)", to: "key")
      let text = try await scene.output("gate key show key")
      for fact in ["private", "OKP", "Ed25519", KeyScene.publishedThumbprint] {
        #expect(text.contains(fact), "\(fact)")
      }
      #expect(!text.contains("nWGxne"))
      let json = try JSONObject(parsing: await scene.output("gate key show key --json").utf8)
      #expect(json["thumbprint"]?.string == KeyScene.publishedThumbprint && json["spki_sha256"]?.string?.count == 64)
      let secret = try await scene.output(
        "gate key generate --type oct --kid name --out secret > first; gate key show secret | cmp - first; cat first")
      #expect(secret.contains("shared secret") && secret.contains("256") && !secret.contains("thumbprint"), "\(secret)")
    }
  }

  @Test func `show tells of every key of a set, and of those that are not known here`() async throws {
    try await KeyScene.with { scene in
      let known = JSONValue.object(KeyScene.published)
      try scene.write("\(["keys": [known, ["kty": "new"], known]] as JSONValue)", to: "set")
      let outcome = try await scene.home.shell("gate key show set --json")
      #expect(outcome.succeeded && outcome.output.split(separator: "\n").count == 2, "\(outcome)")
      #expect(outcome.errors.contains("a key was left out"), "\(outcome)")
    }
  }

  @Test(arguments: ["rsa", "ec", "ec --curve P-521", "ed25519", "ed448", "x25519"])
  func `a key goes to PEM and back`(type: String) async throws {
    try await KeyScene.with { scene in
      let output = try await scene.output(
        """
        gate key generate --type \(type) --out jwk > shown && gate key convert jwk --to pem --out pem &&
        gate key convert pem --to jwk --out again &&
        gate key thumbprint jwk > first && gate key thumbprint pem > second && cmp first second
        """)
      #expect(output == "")
      let (key, again) = (try scene.key(in: "jwk"), try scene.key(in: "again"))
      #expect(key.keyID == again.keyID)
      let secrets = try (key.jsonRevealingSecrets()["d"], again.jsonRevealingSecrets()["d"])
      #expect(secrets.0 == secrets.1 && secrets.0 != nil)
    }
  }

  @Test func `what is published has no secrets`() async throws {
    try await KeyScene.with { scene in
      try scene.write("\(KeyScene.published)", to: "key")
      for line in [
        "gate key convert key --to jwk --public", "gate key convert key --to jwks",
        "gate key convert key --to pem --public", "gate jwks key",
      ] {
        let output = try await scene.output(line)
        #expect(!output.contains("\"d\"") && !output.contains("PRIVATE"), "\(line)\n\(output)")
      }
      _ = try await scene.output("gate key convert key --to jwks --out set; gate key convert key --to jwk --out copy")
      #expect(try scene.home.mode(of: "\(scene.home.folder)/set") == 0o644)
      #expect(try scene.home.mode(of: "\(scene.home.folder)/copy") == 0o600)
      _ = try await scene.output("gate key generate --type oct --out secret")
      for line in ["gate key convert secret --to jwks", "gate jwks key secret", "gate key convert secret --to pem"] {
        try await scene.expect(line, toBe: "invalidArgument")
      }
    }
  }

  @Test func `labels are kept, or set`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.output("gate key generate --kid one --out key > shown")
      let kept = try JWK(parsing: await scene.output("gate key convert key --to jwk --public").utf8)
      #expect(kept.keyID == "one" && kept.algorithm == .signature(.ES256) && kept.use == "sig")
      let set = try JWK(
        parsing: await scene.output("gate key convert key --to jwk --public --kid two --alg ECDH-ES --use enc").utf8)
      #expect(set.keyID == "two" && set.algorithm == .encryption(.ECDHES) && set.use == "enc")
    }
  }

  @Test func `the hash of a certificate is kept without the certificate, and missed where PEM cannot hold it`()
    async throws
  {
    try await KeyScene.with { scene in
      let hash = Base64URL.encode(Array(repeating: UInt8(7), count: 32))
      var members = KeyScene.published
      members["x5t#S256"] = .string(hash)
      try scene.write("\(members)", to: "key")
      let lines = ["--to jwk", "--to jwk --public", "--to jwk --kid two --alg EdDSA --use sig"].map {
        "gate key convert key " + $0
      }
      for line in lines {
        let json = try JSONObject(parsing: try await scene.output(line).utf8)
        #expect(json["x5t#S256"]?.string == hash, "\(line)")
      }
      for line in ["gate key convert key --to jwks", "gate jwks key"] {
        let set = try JWKSet(parsing: try await scene.output(line).utf8)
        #expect(try #require(set.keys.first).json["x5t#S256"]?.string == hash, "\(line)")
      }
      for line in ["gate key convert key --to pem", "gate key convert key --to pem --public"] {
        let outcome = try await scene.home.shell(line)
        #expect(outcome.succeeded && outcome.output.hasPrefix("-----BEGIN "), "\(outcome)")
        #expect(outcome.errors.contains("x5t#S256 is left out"), "\(outcome)")
      }
    }
  }

  @Test func `the thumbprint is that of RFC 8037`() async throws {
    try await KeyScene.with { scene in
      try scene.write("\(KeyScene.published)", to: "key")
      #expect(try await scene.output("gate key thumbprint key") == KeyScene.publishedThumbprint + "\n")
    }
  }

  @Test(.enabled("openssl is not installed") { await OpenSSLCommand.isThere })
  func `of a certificate the public key counts`() async throws {
    try await KeyScene.with { scene in
      let output = try await scene.output(
        """
        gate key generate --type rsa --format pem --out key > shown
        openssl req -x509 -key key -subj /CN=gate -out certificate 2> log || cat log
        gate key thumbprint key > first; gate key thumbprint certificate | cmp - first
        gate key convert key --to pem --public > half; gate key convert certificate --to pem | cmp - half
        cat certificate certificate > bundle; gate key thumbprint bundle | uniq | cmp - first
        """)
      #expect(output == "")
      try await scene.expect("gate jwt sign --key certificate --claims {}", toBe: "algorithmRefused")
      try await scene.expect("cat key certificate > both; gate key show both", toBe: "certificateInvalid")
    }
  }

  @Test func `gate key show tells a certificate's subject, its time and its hash`() async throws {
    try await KeyScene.with { scene in
      let certificate = try X509Certificate(pem: CertificateFixture.leaf.rawValue)
      try scene.write(certificate.pem, to: "certificate")
      let shown = try await scene.output("gate key show certificate")
      let hash = Base64URL.encode(certificate.sha256Fingerprint)
      for fact in [certificate.subject, "not_before", "2126-", "x5t#S256     \(hash)"] {
        #expect(shown.contains(fact), "\(shown)")
      }
      let json = try JSONObject(parsing: await scene.output("gate key show --json certificate").utf8)
      #expect(json["subject"]?.string == certificate.subject && json["x5t#S256"]?.string == hash)
      // As a JWK it has its certificate with it, under its labels too.
      let key = try JWK(parsing: await scene.output("gate key convert certificate --to jwk --use sig").utf8)
      #expect(key.certificates == [certificate])
      // A key without one tells nothing of the kind.
      _ = try await scene.output("gate key generate --out key")
      #expect(try await !scene.output("gate key show key").contains("subject"))
    }
  }

  @Test func `gate jwks merges the public halves of files`() async throws {
    try await KeyScene.with { scene in
      try scene.write("\(KeyScene.published)", to: "one")
      let set = try await scene.output(
        "gate key generate --kid two --out two > shown; gate key generate --type rsa --format pem --out three > shown; gate jwks one two three"
      )
      let keys = try JWKSet(parsing: set.utf8)
      #expect(keys.keys.count == 3 && keys.keys.prefix(2).map(\.keyID) == [KeyScene.publishedThumbprint, "two"])
      try await scene.expect("gate jwks one two one", toBe: "keySetInvalid")
      try await scene.expect("gate jwks one nothing", toBe: "storeUnreadable")
    }
  }

  @Test(arguments: [
    "", "{", "{}", "-----BEGIN PRIVATE KEY-----", "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}",
  ])
  func `a file without a key is refused, with its name`(text: String) async throws {
    try await KeyScene.with { scene in
      try scene.write(text, to: "broken")
      for command in ["show", "thumbprint", "convert --to jwk"] {
        let outcome = try await scene.home.shell("gate key \(command) broken")
        #expect(outcome.status == 1 && outcome.errors.hasPrefix("gate: broken: "), "\(outcome)")
      }
    }
  }
}

/// The command of OpenSSL.
enum OpenSSLCommand {
  static var isThere: Bool {
    get async { (try? await ChildProcess("openssl", ["version"]).run())?.succeeded ?? false }
  }
}
