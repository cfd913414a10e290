import GatehouseJOSE
import TestSupport
import Testing

/// A good proof of possession, and proofs that differ from it by one change.
enum ProofScene {
  static let now = TokenScene.now
  static let accessToken = "an.access.token"

  static let claims: JSONObject = [
    "jti": "proof-1", "htm": "POST", "htu": "https://server.example.com/token", "iat": 1_700_000_000,
    // The SHA-256 of the access token, by `printf an.access.token | openssl dgst -sha256 -binary | basenc --base64url`.
    "ath": "UkM2b42E54u4hWzuKV_B3zyulUA6vtNYjJUv_ru2Qck", "nonce": "n-1",
  ]

  static func header(_ key: PrivateKey = TokenScene.p256, _ algorithm: JWSAlgorithm = .ES256) throws -> JSONObject {
    ["typ": "dpop+jwt", "alg": .string(algorithm.rawValue), "jwk": try JWK(.publicKey(key.publicKey)).json]
  }

  /// A proof in which some claims and header members were replaced or removed before signing.
  static func proof(
    _ claimChanges: KeyValuePairs<String, JSONValue?> = [:],
    header headerChanges: KeyValuePairs<String, JSONValue?> = [:],
    key: PrivateKey = TokenScene.p256, _ algorithm: JWSAlgorithm = .ES256
  ) throws -> String {
    var claims = claims
    for (name, value) in claimChanges { claims[name] = value }
    var header = try header(key, algorithm)
    for (name, value) in headerChanges { header[name] = value }
    return try TokenSigner(key: key, algorithm: algorithm).sign(payload: claims.serialized(), header: header)
  }

  /// The request of the good proof, to a token endpoint.
  static let request = DPoPRequest(method: "POST", uri: "https://server.example.com/token")

  /// The error with which a verifier rejects a proof; `nil` if it accepts the proof.
  static func refusal(
    of proof: String, for request: DPoPRequest = request, by verifier: DPoPVerifier? = nil, at now: Double = now
  ) async -> AuthError.Code? {
    do {
      _ = try await (verifier ?? DPoPVerifier(replays: MemoryReplayStore())).verify(proof, for: request, at: now)
      return nil
    } catch { return error.code }
  }
}
