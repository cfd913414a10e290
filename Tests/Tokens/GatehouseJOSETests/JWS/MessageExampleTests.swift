import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// The examples of RFC 7515 and RFC 7797 that are messages; `The RFCs' examples` has those that are tokens.
struct `The RFCs' messages` {
  private static let secret = """
    {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
    """
  private static let p256 = """
    {"kty":"EC","kid":"e9bc097a-ce51-4036-9562-d2ade882db0d","crv":"P-256",\
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
    """
  private static let rsa = """
    {"kty":"RSA","kid":"2010-12-29","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS\
    2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYU\
    sLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q\
    2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
    """
  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  private static let rs256: JSONValue = [
    "protected": "eyJhbGciOiJSUzI1NiJ9", "header": ["kid": "2010-12-29"],
    "signature": """
    cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1d\
    nZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwu\
    sC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
    """,
  ]
  private static let es256: JSONValue = [
    "protected": "eyJhbGciOiJFUzI1NiJ9", "header": ["kid": "e9bc097a-ce51-4036-9562-d2ade882db0d"],
    "signature": "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
  ]

  private func verifier(_ keys: String..., algorithms: Set<JWSAlgorithm>) throws -> JWSVerifier {
    try JWSVerifier(keys: JWKSet(keys.map { try JWK(parsing: $0.utf8) }), algorithms: algorithms)
  }

  @Test func `are accepted with ES512 (RFC 7515 A.4)`() throws {
    let key = """
      {"kty":"EC","crv":"P-521","x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWce\
      qwQGk","y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"}
      """
    let message = """
      eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0a\
      w_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn
      """
    #expect(try verifier(key, algorithms: [.ES512]).verify(message).payload == Array("Payload".utf8))
  }

  @Test func `are refused if nobody signed them (RFC 7515 A.5)`() throws {
    let token = "eyJhbGciOiJub25lIn0.\(Self.payload)."
    let verifier = try verifier(Self.secret, algorithms: Set(JWSAlgorithm.allCases))
    #expect(MessageScene.refusal(token, by: verifier) == .tokenMalformed)
    #expect(MessageScene.refusal(token + "AA", by: verifier) == .algorithmRefused)
    #expect(TokenScene.refusal(of: token) == .tokenMalformed)
    #expect(try UnsecuredToken(token).issuer == "joe")
  }

  @Test func `are accepted in general JSON (RFC 7515 A.6)`() throws {
    let message: JSONObject = ["payload": .string(Self.payload), "signatures": [Self.rs256, Self.es256]]
    let both = try verifier(Self.rsa, Self.p256, algorithms: [.RS256, .ES256])
    let verified = try both.verify(json: message.serialized())
    #expect(verified.headers.map(\.keyID) == ["2010-12-29", "e9bc097a-ce51-4036-9562-d2ade882db0d"])
    #expect(try verified.payload == Base64URL.decode(Self.payload))
    let one = try verifier(Self.p256, algorithms: [.ES256])
    #expect(MessageScene.refusal(message, by: one) == .algorithmRefused)
    #expect(try one.verify(json: message.serialized(), requiring: .one).headers.map(\.algorithm) == ["ES256"])
  }

  @Test func `are accepted in flattened JSON (RFC 7515 A.7)`() throws {
    let message = try #require(Self.es256.object).with("payload", .string(Self.payload))
    let verifier = try verifier(Self.p256, algorithms: [.ES256])
    #expect(try verifier.verify(json: message.serialized()).payload == Base64URL.decode(Self.payload))
  }

  @Test func `are accepted with their payload beside them (RFC 7515 appendix F)`() throws {
    let verifier = try verifier(Self.p256, algorithms: [.ES256])
    let signature = try #require(Self.es256["signature"]?.string)
    let message = "eyJhbGciOiJFUzI1NiJ9..\(signature)"
    let payload = try Base64URL.decode(Self.payload)
    #expect(try verifier.verify(message, detachedPayload: payload).payload == payload)
  }

  @Test func `are accepted with a payload that is not encoded (RFC 7797 4.1 and 4.2)`() throws {
    let verifier = try verifier(Self.secret, algorithms: [.HS256])
    let encoded = "eyJhbGciOiJIUzI1NiJ9.JC4wMg.5mvfOroL-g7HyqJoozehmsaqmvTYGEq5jTI1gVvoEoQ"
    let protected = "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19"
    let signature = "A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY"
    let payload = Array("$.02".utf8)
    #expect(try verifier.verify(encoded).payload == payload)
    #expect(try verifier.verify("\(protected)..\(signature)", detachedPayload: payload).payload == payload)
    let json: JSONObject = ["protected": .string(protected), "payload": "$.02", "signature": .string(signature)]
    #expect(try verifier.verify(json: json.serialized()).payload == payload)

    let signer = try TokenSigner(JWK(parsing: Self.secret.utf8))
    let form = MessageForm(carriesPayload: false, encodesPayload: false)
    #expect(try signer.sign(message: payload, as: form) == "\(protected)..\(signature)")
    #expect(try signer.sign(message: payload, as: .usual) == encoded)
  }
}
