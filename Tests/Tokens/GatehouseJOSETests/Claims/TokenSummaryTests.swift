import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// The output of `print` for a token.
struct `A printed token` {
  private static let claims: JSONObject = [
    "iss": "https://issuer.example", "sub": "ada", "aud": ["shop", "app"], "iat": 1_699_999_900, "nbf": 1_699_999_901,
    "auth_time": 1_699_999_000, "exp": 1_700_003_500, "email": "s3cr3t@example.com", "nonce": "s3cr3t",
    "jti": "s3cr3t",
  ]
  private static let summary =
    #"(iss: "https://issuer.example", sub: "ada", aud: "shop" "app", iat: 2023-11-14T22:11:40Z, "#
    + #"nbf: 2023-11-14T22:11:41Z, auth_time: 2023-11-14T21:56:40Z, exp: 2023-11-14T23:11:40Z, alg: "#

  /// The output of printing, describing, debugging and dumping a value.
  private static func shown(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped, "\([value])"]
  }

  @Test func `shows its issuer, its user, its times and its key`() throws {
    let text = try TokenScene.signed(Self.claims)
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: VerificationPolicy(algorithms: [.RS256]))
    #expect(
      try "\(verifier.verify(text, at: TokenScene.now))" == "VerifiedToken" + Self.summary + #""RS256", kid: "rsa")"#)
    #expect(try "\(UnverifiedToken(text))" == "UnverifiedToken" + Self.summary + #""RS256", kid: "rsa")"#)
    let plain = Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + Base64URL.encode(Self.claims.serialized()) + "."
    #expect(try "\(UnsecuredToken(plain))" == "UnsecuredToken" + Self.summary + #""none")"#)
    let encrypted = try EncryptionScene.encrypter("32 bytes", .dir, .A256GCM).encrypt(Self.claims.serialized())
    let decrypter = ClaimsDecrypter(decrypter: EncryptionScene.decrypter, rules: VerificationPolicy(algorithms: []))
    #expect(
      try "\(decrypter.decrypt(encrypted, at: Date(wall: TokenScene.now)))" == "DecryptedClaims" + Self.summary
        + #""dir", kid: "32 bytes")"#)
    #expect(try "\(UnverifiedToken(text).header)" == #"TokenHeader(alg: "RS256", kid: "rsa", typ: "JWT")"#)
  }

  @Test func `shows neither its text, nor its signature, nor other claims`() throws {
    let text = try TokenScene.signed(Self.claims)
    let verifier = TokenVerifier(keys: TokenScene.keys, policy: VerificationPolicy(algorithms: [.RS256]))
    let verified = try verifier.verify(text, at: TokenScene.now)
    let parts = text.split(separator: ".")
    for value in [verified, try UnverifiedToken(text), verified.header] as [Any] {
      for shown in Self.shown(value) {
        for part in parts { #expect(!shown.contains(part)) }
        #expect(!shown.contains("s3cr3t") && shown.contains("RS256") && shown.utf8.count < 2000, "\(shown)")
      }
    }
  }

  @Test func `shows text of others as ASCII, and not much of it`() throws {
    let hostile = "a\u{1B}[2J\r\n\u{202E}\u{9B}\"\\"
    var claims = Self.claims
    claims["iss"] = .string(hostile)
    claims["sub"] = .string(String(repeating: "x", count: 5000))
    claims["aud"] = .string(hostile)
    let token = try UnverifiedToken(
      TokenSigner(key: TokenScene.rsa).sign(
        payload: claims.serialized(), header: ["alg": .string(hostile), "kid": .string(hostile)]))
    for shown in Self.shown(token) + Self.shown(token.header) {
      #expect(shown.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 >= 0x80 || $0 == 0x0A })
      #expect(!shown.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{9B}" } && shown.utf8.count < 2000)
    }
    #expect("\(token)".contains(#"iss: "a\u{1B}[2J\r\n\u{202E}\u{009B}\"\\""#))
    #expect("\(token)".contains(#"xxx…""#))
  }

  @Test func `shows nothing for what it lacks, or has in another type`() throws {
    let token = try UnverifiedToken(
      TokenSigner(key: TokenScene.rsa).sign(["iss": 1, "exp": "soon", "iat": -1, "aud": [1]]))
    #expect("\(token)" == #"UnverifiedToken(alg: "RS256")"#)
  }

  @Test func `is not shown by a request for a proof`() {
    let request = DPoPRequest(
      method: "GET", uri: "https://a.example/b?code=s3cr3t", accessToken: "s3cr3t", boundThumbprint: "t", nonce: "n")
    #expect("\(request)" == "DPoPRequest(GET https://a.example/b)")
    for shown in Self.shown(request) { #expect(!shown.contains("s3cr3t"), "\(shown)") }
  }
}
