import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

/// What a custom token says: who is to be signed in, and claims for the ID tokens of that session.
struct CustomToken: Sendable {
  let uid: String
  /// The tenant of the user; `nil` for the project itself.
  let tenantID: String?
  let claims: JSONObject

  /// Seconds. Firebase takes none that lives longer.
  static let lifetime: Int64 = 3600

  /// - Throws: `.invalidArgument` for an identifier of no length or of more than 128 bytes, `FORBIDDEN_CLAIM` and
  ///   `CLAIMS_TOO_LARGE`.
  init(uid: String, tenantID: String?, claims: JSONObject) throws(AuthError) {
    try Identifier.check(uid)
    try CustomClaims.check(claims)
    if let tenantID { try Identifier.check(tenant: tenantID) }
    self.uid = uid
    self.tenantID = tenantID
    self.claims = claims
  }

  /// Who signs the provider's own custom tokens (`iss` and `sub`).
  static func issuer(_ options: LocalOptions) -> String { "provider@\(options.projectID)" }

  func payload(_ options: LocalOptions, at now: Moment) -> JSONObject {
    let issuer = JSONValue.string(Self.issuer(options))
    var payload: JSONObject = JSONObject([
      "iss": issuer, "sub": issuer, "aud": .string(CustomClaims.customTokenAudience),
      "iat": .number(JSONNumber(now.seconds)),
      "exp": .number(JSONNumber(now.seconds + Self.lifetime)), "uid": .string(uid),
    ])
    payload["tenant_id"] = tenantID.map { .string($0) }
    if !claims.isEmpty { payload["claims"] = .object(claims) }
    return payload
  }

  /// Of the provider's own.
  static func policy(_ options: LocalOptions) -> VerificationPolicy {
    var policy = policy(
      Set(LocalOptions.Signing.allCases.map(\.algorithm)), signedBy: issuer(options), leeway: .zero)
    policy.requiresKeyID = true
    return policy
  }

  /// Of a service account, whose clock is another one.
  static func policy(ofServiceAccount email: String) -> VerificationPolicy {
    policy([.RS256], signedBy: email, leeway: VerificationPolicy.defaultLeeway)
  }

  private static func policy(
    _ algorithms: Set<JWSAlgorithm>, signedBy issuer: String, leeway: Duration
  ) -> VerificationPolicy {
    var policy = VerificationPolicy(
      algorithms: algorithms, issuer: issuer, audience: CustomClaims.customTokenAudience, leeway: leeway)
    policy.requiredClaims = ["exp", "iat", "sub", "uid"]
    policy.maximumLifetime = .seconds(lifetime)
    return policy
  }

  /// The refusal of a token that a verifier refuses.
  static func refusal(_ error: AuthError) -> AuthError {
    switch error.code {
    case .issuerMismatch, .audienceMismatch: AuthError(server: "CREDENTIAL_MISMATCH")
    default: AuthError(server: "INVALID_CUSTOM_TOKEN : \(error.message)")
    }
  }

  /// - Throws: `INVALID_CUSTOM_TOKEN` for a token whose claims cannot be an ID token's.
  init(_ token: VerifiedToken) throws(AuthError) { try self.init { token[$0] } }

  /// What a token of any signature or none says, or the claims themselves as JSON. Only behind
  /// `LocalOptions.acceptsUnverifiedCustomTokens`.
  init(unverified token: Secret) throws(AuthError) {
    let text = token.revealed
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isToken = parts.count == 3 && text.utf8.first != UInt8(ascii: "{")
    let claims =
      isToken ? try? JSONObject(parsing: Base64URL.decode(String(parts[1]))) : try? JSONObject(parsing: text.utf8)
    guard let claims else { throw AuthError(server: "INVALID_CUSTOM_TOKEN : the token is neither a JWT nor JSON") }
    try self.init { claims[$0] }
  }

  private init(_ token: (String) -> JSONValue?) throws(AuthError) {
    let claims = token("claims").map(\.object) ?? JSONObject()
    guard let uid = token("uid")?.string, let claims, token("sub")?.string == token("iss")?.string else {
      throw AuthError(server: "INVALID_CUSTOM_TOKEN : uid must be text, claims an object, and sub the issuer")
    }
    let tenantID = token("tenant_id")?.string
    // A tenant's user must not become a user of the whole project.
    guard tenantID != nil || token("tenant_id") == nil else {
      throw AuthError(server: "INVALID_CUSTOM_TOKEN : tenant_id must be text")
    }
    do throws(AuthError) { try self.init(uid: uid, tenantID: tenantID, claims: claims) } catch {
      throw AuthError(server: "INVALID_CUSTOM_TOKEN : \(error.message)")
    }
  }
}
