import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// The order of a verifier's checks, and the information that it reveals (group 23).
struct `A refusal` {
  private static let secret = "s3cr3t-content"

  @Test func `by a signature comes before everything that the payload says (group 23)`() throws {
    let stranger = try TokenSigner(key: TokenScene.stranger, keyID: "rsa")
    let payloads: [JSONObject] = [
      TokenScene.claims, TokenScene.claims("exp", 1), TokenScene.claims("exp", "soon"), TokenScene.claims("iss", "x"),
      TokenScene.claims("aud", []), TokenScene.claims("sub", nil), TokenScene.claims("nbf", 9_000_000_000), [:],
    ]
    for claims in payloads { #expect(try TokenScene.refusal(of: stranger.sign(claims)) == .signatureInvalid) }
    for payload in ["", "not JSON", "[]", "{\"a\":1,\"a\":2}", "{\"sub\":\"a\",\"\\u0073ub\":\"b\"}"] {
      let token = try stranger.sign(payload: Array(payload.utf8), type: "JWT")
      #expect(TokenScene.refusal(of: token) == .signatureInvalid, "\(payload)")
    }
  }

  @Test func `by a header comes before the signature, and never gives a reason to make one (group 23)`() throws {
    let stranger = try TokenSigner(key: TokenScene.stranger, keyID: "rsa")
    for (name, value, code) in [
      ("alg", "none", .algorithmRefused), ("alg", "HS256", .algorithmRefused), ("kid", "x", .unknownKey),
      ("typ", "at+jwt", .typeMismatch), ("crit", ["b64"], .criticalHeader), ("zip", "DEF", .headerInvalid),
    ] as [(String, JSONValue, AuthError.Code)] {
      let token = try stranger.sign(
        payload: TokenScene.claims.serialized(), header: TokenScene.header(name, value))
      #expect(TokenScene.refusal(of: token) == code)
    }
  }

  @Test func `is the same for a token that was refused before, and after good ones (group 23)`() throws {
    let good = try TokenScene.signed()
    let forged = good.split(separator: ".").dropLast().joined(separator: ".") + "." + String(repeating: "A", count: 342)
    for _ in 0..<3 {
      #expect(TokenScene.refusal(of: forged) == .signatureInvalid)
      #expect(TokenScene.refusal(of: good) == nil)
    }
    // A cached header is compared in full.
    let header = TokenScene.header("kid", "rs\u{61}").with("x", 1)
    #expect(
      try TokenScene.refusal(of: TokenScene.signed(payload: TokenScene.claims.description, header: header)) == nil)
    let text = Base64URL.encode(header.serialized())
    let parts = good.split(separator: ".")
    #expect(TokenScene.refusal(of: "\(text).\(parts[1]).\(parts[2])") == .signatureInvalid)
  }

  @Test func `says nothing of what the token holds, whatever is wrong with it (group 23)`() throws {
    let text = JSONValue.string(Self.secret)
    var tokens = [Self.secret, "\(Self.secret).\(Self.secret).\(Self.secret)"]
    for name in ["iss", "aud", "sub", "azp", "jti", "exp", "nbf", "iat", "auth_time", "nonce", "email"] {
      for value in [text, [text], ["a": text], 1] as [JSONValue] {
        tokens.append(try TokenScene.signed(TokenScene.claims(name, value).with(Self.secret, text)))
      }
    }
    for name in ["alg", "kid", "typ", "cty", "crit", "b64", "zip", "jwk"] {
      for value in [text, [text], ["a": text], 1] as [JSONValue] {
        tokens.append(try TokenScene.signed(payload: Self.secret, header: TokenScene.header(name, value)))
      }
    }
    for json in [
      "{\"\(Self.secret)\":1,\"\(Self.secret)\":2}", "{\"\(Self.secret)\":\(Self.secret)}", "\"\(Self.secret)\"",
    ] {
      tokens.append(try TokenScene.signed(payload: json))
      tokens.append(Base64URL.encode(json.utf8) + ".e30.AAAA")
    }
    var refused = 0
    for token in tokens {
      do { _ = try TokenScene.verifier.verify(token, at: TokenScene.now) } catch {
        refused += 1
        #expect(!"\(error)".contains(Self.secret))
        #expect(!token.split(separator: ".").contains { $0.utf8.count > 3 && "\(error)".contains($0) }, "\(error)")
      }
    }
    #expect(refused > 50)
  }

  @Test func `of a key says nothing of what the key holds (group 23)`() throws {
    let text = JSONValue.string(Self.secret)
    for type in ["RSA", "EC", "OKP", "oct", Self.secret] {
      for name in ["alg", "use", "crv", "n", "e", "d", "x", "y", "k", "key_ops", "kid"] {
        let key: JSONObject = ["kty": .string(type), name: text]
        do {
          _ = try JWK(.object(key))
          Issue.record("\(type) with \(name) was read")
        } catch { #expect(!"\(error)".contains(Self.secret), "\(error)") }
      }
    }
  }
}
