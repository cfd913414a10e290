import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import Testing

/// The shape of a provider's tokens and of the keys that it publishes, and the policy that a user writes for them.
///
/// The members are JSON text, as the provider's documents show them, with other names and numbers. Tokens are signed
/// with keys that are made here. `X5T`, `SHA` and `X5C` stand for the hashes and the certificate of the key.
struct ProviderShape: Sendable, CustomTestStringConvertible {
  let name: String
  /// The header.
  let header: String
  /// The claims.
  let claims: String
  /// The members of the key in the published set, besides its numbers and its `kid`.
  var key = #"{"alg":"RS256","use":"sig"}"#
  /// The members of other keys in the set.
  var others: [String] = []
  /// The members of the set besides `keys`.
  var set = "{}"
  /// Whether the parts of the token have padding.
  var isPadded = false
  /// The `nonce` of the header that was signed, if it is not the one that is sent.
  var signedNonce: String?
  let policy: VerificationPolicy
  /// The reason of the refusal, and a part of its text; `nil` for an accepted token.
  var refusal: (code: AuthError.Code, text: String)?
  /// The members of the set that are ignored.
  var ignored: [String] = []
  /// The key IDs that are skipped.
  var skipped: [String] = []

  var testDescription: String { name }

  /// A policy for one or several issuers.
  static func policy(
    _ issuers: String..., for audience: String?, _ algorithms: Set<JWSAlgorithm> = [.RS256],
    _ change: (inout VerificationPolicy) -> Void = { _ in }
  ) -> VerificationPolicy {
    var policy = VerificationPolicy(
      algorithms: algorithms, issuers: issuers.map { .exactly($0) }, audiences: audience.map { [$0] })
    change(&policy)
    return policy
  }

  /// Makes the key set and a token.
  func made() throws -> (set: JWKSet, token: String) { (try publishedSet(), try token(signedBy: signingKey)) }

  private static let certificate = TokenScene.made {
    try CertificateIssuer().certificate(of: TokenScene.rsa.publicKey)
  }

  private var signingKey: JWK.Key {
    get throws {
      let name = try #require(JSONObject(parsing: header.utf8)["alg"]?.string)
      return SigningKeys.key(for: try #require(JWSAlgorithm(rawValue: name)))
    }
  }

  private func publishedSet() throws -> JWKSet {
    let keyID = try JSONObject(parsing: header.utf8)["kid"]?.string
    let own = try signingKey
    if case .symmetric = own { return try JWKSet([JWK(own, keyID: keyID)]) }
    let half = try #require(own.publicKey), stranger = JWK.Key.publicKey(TokenScene.stranger.publicKey)
    let others = try others.map { try Self.members($0, of: JWK(stranger)) }
    var whole = try JSONObject(parsing: set.utf8)
    whole["keys"] = .array([try Self.members(key, of: JWK(.publicKey(half), keyID: keyID))] + others)
    return try JWKSet(parsing: whole.serialized())
  }

  /// A key's JSON with more members.
  private static func members(_ text: String, of key: JWK) throws -> JSONValue {
    let values = [
      "X5T": try Base64URL.encode(LegacyHash.sha1.hash(certificate.der)), "X5C": Base64.encode(certificate.der),
      "SHA": Base64URL.encode(certificate.sha256Fingerprint),
    ]
    let text = values.reduce(text) { $0.replacing("\"\($1.key)\"", with: "\"\($1.value)\"") }
    var members = try #require(key.json.object)
    for member in try JSONObject(parsing: text.utf8).members { members[member.name] = member.value }
    return .object(members)
  }

  func token(signedBy key: JWK.Key) throws -> String {
    var signed = try JSONObject(parsing: header.utf8)
    let algorithm = try #require(signed["alg"]?.string.flatMap(JWSAlgorithm.init(rawValue:)))
    if let signedNonce { signed["nonce"] = .string(signedNonce) }
    let parts = [signed.serialized(), Array(claims.utf8)].map(encoded)
    let signature = try TokenSigner(JWK(key), algorithm: algorithm).signature(
      of: Array(parts.joined(separator: ".").utf8))
    return [encoded(Array(header.utf8)), parts[1], encoded(signature)].joined(separator: ".")
  }

  /// Another key for the same algorithm; `nil` if there is none in the scene.
  var stranger: JWK.Key? {
    header.contains(#""alg":"RS256""#) ? .privateKey(TokenScene.stranger) : nil
  }

  private func encoded(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes)
    return isPadded ? text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4) : text
  }
}
