import GatehouseJOSE
import TestSupport
import Testing

/// The examples of the RFCs, embedded so that a copy without the folder of vectors is tested too.
struct `The RFCs' examples` {
  private func verifier(_ key: String) throws -> TokenVerifier {
    let key = try JWK(parsing: key.utf8)
    var policy = VerificationPolicy(algorithms: Set(JWSAlgorithm.allCases), issuer: "joe", leeway: .zero)
    policy.requiredClaims = ["exp", "http://example.com/is_root"]
    return TokenVerifier(keys: try JWKSet([key]), policy: policy)
  }

  /// The payload of RFC 7515's first examples, which expires at 1300819380.
  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test(arguments: [
    (
      "RFC 7515 A.1, HS256",
      """
      {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
      """,
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    ),
    (
      "RFC 7515 A.2, RS256",
      """
      {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt\
      0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA\
      9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia\
      GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
      """,
      "eyJhbGciOiJSUzI1NiJ9",
      """
      cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9\
      CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOL\
      n6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtV\
      rBp0igcN_IoypGlUPQGe77Rw
      """
    ),
    (
      "RFC 7515 A.3, ES256",
      """
      {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpX\
      W6pCyStikYjKIWI5a0"}
      """,
      "eyJhbGciOiJFUzI1NiJ9",
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    ),
  ])
  func `are accepted in their time`(name: String, key: String, header: String, signature: String) throws {
    let token = [header, Self.payload, signature].joined(separator: ".")
    let verifier = try verifier(key)
    #expect(try verifier.verify(token, at: 1_300_819_379)["http://example.com/is_root"]?.bool == true, "\(name)")
    #expect(TokenScene.refusal(of: token, by: verifier, at: 1_300_819_380) == .tokenExpired)
    let first = signature.first == "A" ? "B" : "A"
    let forged = [header, Self.payload, first + signature.dropFirst()].joined(separator: ".")
    #expect(TokenScene.refusal(of: forged, by: verifier, at: 0) == .signatureInvalid)
  }

  private static let ed25519 = """
    {"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7h\
    cvPapiMlrwIaaPcHURo"}
    """

  @Test func `are signed and verified with Ed25519 (RFC 8037 A.4, A.5)`() throws {
    let key = try JWK(parsing: Self.ed25519.utf8)
    let token = try TokenSigner(key).sign(payload: Array("Example of Ed25519 signing".utf8))
    #expect(
      token == """
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbh\
        ijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """)
    let set = try JWKSet([#require(key.publicJWK)])
    let verifier = JWSVerifier(keys: set, algorithms: [.EdDSA])
    #expect(try verifier.verify(token).payload == Array("Example of Ed25519 signing".utf8))
  }

  @Test func `have the fingerprints that they say (RFC 7638 3.1, RFC 8037 A.3)`() throws {
    let rsa = try JWK(
      parsing: """
        {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc\
        _BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQM\
        icAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksIN\
        HaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
        """.utf8)
    #expect(try rsa.thumbprint() == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    #expect(try JWK(parsing: Self.ed25519.utf8).thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }
}
