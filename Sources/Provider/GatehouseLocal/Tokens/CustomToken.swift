import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

/// The contents of a custom token: the user to sign in, and claims for the ID tokens of that session.
struct CustomToken: Sendable {
  let uid: String
  /// The tenant of the user; `nil` for the project itself.
  let tenantID: String?
  let claims: JSONObject

  /// The lifetime, in seconds. Firebase accepts no longer lifetime.
  static let lifetime: Int64 = 3600

  /// - Throws: `.invalidArgument` for an identifier that is empty or longer than 128 bytes, `FORBIDDEN_CLAIM` and
  ///   `CLAIMS_TOO_LARGE`.
  init(uid: String, tenantID: String?, claims: JSONObject) throws(AuthError) {
    try Identifier.check(uid)
    try CustomClaims.check(claims)
    if let tenantID { try Identifier.check(tenant: tenantID) }
    self.uid = uid
    self.tenantID = tenantID
    self.claims = claims
  }

  /// Returns the issuer and subject of the provider's own custom tokens (`iss` and `sub`).
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

  /// Returns the requirements for the provider's own custom tokens.
  static func policy(_ options: LocalOptions) -> VerificationPolicy {
    var policy = policy(
      Set(LocalOptions.Signing.allCases.map(\.algorithm)), signedBy: issuer(options), leeway: .zero)
    policy.requiresKeyID = true
    return policy
  }

  /// Returns the requirements for a service account's custom tokens, which are signed by another clock.
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

  /// Returns the protocol's refusal for a verifier's error.
  static func refusal(_ error: AuthError) -> AuthError {
    switch error.code {
    case .issuerMismatch, .audienceMismatch: AuthError(server: .credentialMismatch)
    default: AuthError(server: .invalidCustomToken, error.isAboutSignedClaims ? "\(error.message)" : nil)
    }
  }

  /// - Throws: `INVALID_CUSTOM_TOKEN` for a token with claims that an ID token cannot have.
  init(_ token: VerifiedToken) throws(AuthError) { try self.init { token[$0] } }

  /// Accepts a token with any signature or none, or the claims themselves as JSON. Only used with
  /// `LocalOptions.acceptsUnverifiedCustomTokens`.
  init(unverified token: Secret) throws(AuthError) {
    let text = token.revealed
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isToken = parts.count == 3 && text.utf8.first != UInt8(ascii: "{")
    let claims =
      isToken ? try? JSONObject(reading: Base64URL.bytes(of: String(parts[1]))) : try? JSONObject(reading: text.utf8)
    guard let claims else { throw AuthError(server: .invalidCustomToken, "the token is neither a JWT nor JSON") }
    try self.init { claims[$0] }
  }

  private init(_ token: (String) -> JSONValue?) throws(AuthError) {
    let claims = token("claims").map(\.object) ?? JSONObject()
    guard let uid = token("uid")?.string, let claims, (token("sub")?.string).isExactly(token("iss")?.string) else {
      throw AuthError(server: .invalidCustomToken, "uid must be text, claims an object, and sub the issuer")
    }
    let tenantID = token("tenant_id")?.string
    // A tenant's user must not become a user of the whole project.
    guard tenantID != nil || token("tenant_id") == nil else {
      throw AuthError(server: .invalidCustomToken, "tenant_id must be text")
    }
    do throws(AuthError) { try self.init(uid: uid, tenantID: tenantID, claims: claims) } catch {
      throw AuthError(server: .invalidCustomToken, "\(error.message)")
    }
  }
}
