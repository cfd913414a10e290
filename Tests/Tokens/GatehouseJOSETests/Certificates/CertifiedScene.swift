import GatehouseBase
import GatehouseJOSE

/// A token key with a certificate for `tokens.example`, valid from November 2026 to November 2031, under a root that
/// certifies nothing else. Created once with OpenSSL's command; the root's private key was discarded.
enum CertifiedScene {
  static let key = TokenScene.made { try PrivateKey(pem: leafKey) }
  static let leaf = TokenScene.made { try X509Certificate(pem: leafText) }
  static let root = TokenScene.made { try X509Certificate(pem: rootText) }
  static let name = "tokens.example"

  /// A moment at which everything is valid.
  static let now: Double = 1_900_000_000

  static let policy = {
    var policy = VerificationPolicy(algorithms: [.ES256, .RS256], issuer: "me")
    policy.limits = .withCertificates
    return policy
  }()

  static func verifier(
    roots: [X509Certificate] = [root], name: String? = name, policy: VerificationPolicy = policy
  ) throws -> CertifiedTokenVerifier {
    try CertifiedTokenVerifier(roots: roots, name: name, policy: policy)
  }

  static let claims: JSONObject = ["iss": "me", "exp": .number(JSONNumber(Int64(4_000_000_000)))]

  /// A token with the certificate in its header, and additional or replaced members.
  static func token(
    _ members: JSONObject = [:], algorithm: JWSAlgorithm = .ES256, signedBy key: PrivateKey = key
  ) throws -> String {
    var header: JSONObject = ["alg": .string(algorithm.rawValue), "x5c": list(leaf)]
    for member in members.members { header[member.name] = member.value == .null ? nil : member.value }
    return try TokenSigner(JWK(.privateKey(key), algorithm: algorithm)).sign(
      payload: claims.serialized(), header: header)
  }

  /// Certificates in the form of `x5c`.
  static func list(_ certificates: X509Certificate...) -> JSONValue {
    .array(certificates.map { .string(Base64.encode($0.der)) })
  }

  /// The error with which a token is rejected; `nil` if it is accepted.
  static func refusal(
    of token: String, by verifier: CertifiedTokenVerifier? = nil, at now: Double = now
  ) throws -> AuthError.Code? {
    let verifier = try verifier ?? Self.verifier()
    do throws(AuthError) {
      _ = try verifier.verify(token, at: now)
      return nil
    } catch { return error.code }
  }

  private static let leafKey = Secret(
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtCbTnnelIwl0eq5e
    qWK6ia3qGwGzcSNRywXgnVYPTWyhRANCAARH05//rs+3VyF36waH2Cq76FxMD0dN
    wQhLYmIuZdP5OZFa4xBOqRwgBdOL13Pyfrnao1xN2cxGVu/khaLDPutK
    -----END PRIVATE KEY-----
    """)

  private static let leafText = """
    -----BEGIN CERTIFICATE-----
    MIIBqjCCAVCgAwIBAgIUYhyb5tOP7Z6d6t+lYbo4FzuRDdkwCgYIKoZIzj0EAwIw
    HDEaMBgGA1UEAwwRQSByb290IGZvciB0b2tlbnMwHhcNMjYxMTIxMDgyNTM0WhcN
    MzExMTIwMDgyNTM0WjARMQ8wDQYDVQQDDAZUb2tlbnMwWTATBgcqhkjOPQIBBggq
    hkjOPQMBBwNCAARH05//rs+3VyF36waH2Cq76FxMD0dNwQhLYmIuZdP5OZFa4xBO
    qRwgBdOL13Pyfrnao1xN2cxGVu/khaLDPutKo3sweTAMBgNVHRMBAf8EAjAAMA4G
    A1UdDwEB/wQEAwIHgDAdBgNVHQ4EFgQUkAww2UmD20voMx47XjrpVpTyKskwHwYD
    VR0jBBgwFoAU+lYnN9P3LxBYVERNCyY+P8wl2dIwGQYDVR0RBBIwEIIOdG9rZW5z
    LmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIhALcLN010/bZNfVM8y290pNvLp9XT
    IANPmaHFZ+PZ+KPdAiBiCwHPZ7+w/YjyrsC4SguH+aehBIeclTEdRUFl7jPaCA==
    -----END CERTIFICATE-----
    """

  private static let rootText = """
    -----BEGIN CERTIFICATE-----
    MIIBfjCCASSgAwIBAgIUE0RzzBAs5twrBWTG6ARel7tM/e8wCgYIKoZIzj0EAwIw
    HDEaMBgGA1UEAwwRQSByb290IGZvciB0b2tlbnMwIBcNMjYxMTIxMDgyNTM0WhgP
    MjEyNjEwMjgwODI1MzRaMBwxGjAYBgNVBAMMEUEgcm9vdCBmb3IgdG9rZW5zMFkw
    EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECURRVOscZV2uRC7gTxd5liPfin9FY3Ys
    sin2FxTiZq4eNWrpwTYHFmn+vf0h4f3MCipDAEIkgBI6qpM0cXe3n6NCMEAwDwYD
    VR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFPpWJzfT9y8Q
    WFRETQsmPj/MJdnSMAoGCCqGSM49BAMCA0gAMEUCIQChArenBOuvgqRXvhWEeXFg
    jAZItRQfOVrC9ZipgbXhpQIgOcdK+hEorQVaZAnz7WvkmxEBwWgsi/BWJ4NkBUtH
    KMA=
    -----END CERTIFICATE-----
    """
}
