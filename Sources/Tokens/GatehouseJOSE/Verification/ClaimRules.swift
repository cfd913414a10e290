import GatehouseBase
import GatehouseCrypto

/// A policy's rules for claims, prepared for many checks.
struct ClaimRules: Sendable {
  private let policy: VerificationPolicy
  private let required: [String]
  /// The short required names, which are nearly all. These are looked up by their keys.
  private let shortRequired: [MemberKey?]
  private let issuers: [IssuerCheck]?
  private let audiences: [[UInt8]]?
  private let authorizedParty: [UInt8]?
  private let nonce: [UInt8]?
  private let checksTime: Bool
  /// In seconds.
  private let leeway: Double
  private let maximumLifetime, maximumAge: Double?
  private let keys = RegisteredClaims.Keys()

  init(_ policy: VerificationPolicy) {
    self.policy = policy
    required = policy.requiredClaims.map { $0 }
    issuers = policy.issuers.map { $0.map(IssuerCheck.init) }
    audiences = policy.audiences.map { $0.map { Array($0.utf8) } }
    authorizedParty = policy.authorizedParty.map { Array($0.utf8) }
    nonce = policy.nonce.map { Array($0.utf8) }
    checksTime = policy.checksTime
    leeway = policy.leeway.inSeconds
    maximumLifetime = policy.maximumLifetime?.inSeconds
    maximumAge = policy.maximumAge?.inSeconds
    shortRequired = required.map { MemberKey(short: $0) }
  }

  /// Checks all requirements of the policy for the claims.
  ///
  /// - Parameters:
  ///   - claims: the claims.
  ///   - hash: the hash function of the token's `alg`; `nil` for an `alg` whose hash is not supported.
  ///   - keyIssuer: the issuer that the token's key signs for; `nil` if the key names none.
  ///   - now: the time, in seconds since 1970.
  func check(
    _ claims: ScannedObject, hashedWith hash: HashAlgorithm?, by keyIssuer: IssuerPattern?, at now: Double
  ) throws(AuthError) {
    let registered = try registered(claims)
    for index in required.indices {
      let found =
        if let key = shortRequired[index] { claims.scanned(key) } else { claims.scanned(required[index]) }
      guard found.map(claims.isNull) ?? true else { continue }
      throw AuthError(.claimInvalid, "`\(required[index])` is missing or null")
    }
    try checkIssuer(registered.issuer, of: claims, keyIssuer)
    try check(registered, of: claims)
    try checkEvents(of: claims)
    try checkBinding(of: claims)
    try checkSignIn(claims, hash)
    try check(registered.times, at: now)
  }

  /// The claims that the rules need.
  func registered(_ claims: ScannedObject) throws(AuthError) -> RegisteredClaims {
    try RegisteredClaims(
      claims, keys, audience: audiences != nil, authorizedParty: authorizedParty != nil,
      authenticationTime: policy.checksAuthenticationTime)
  }

  private func checkIssuer(
    _ issuer: ScannedValue?, of claims: ScannedObject, _ keyIssuer: IssuerPattern?
  ) throws(AuthError) {
    guard let issuers else {
      guard keyIssuer?.names(issuer, of: claims) ?? true else { throw Self.ofAnotherKey }
      return
    }
    guard !issuers.isEmpty else { throw AuthError(.issuerMismatch, "the policy accepts no issuer") }
    var isOfAnotherKey = false
    for check in issuers {
      switch check.verdict(on: issuer, of: claims, signedFor: keyIssuer) {
      case .accepted: return
      case .ofAnotherKey: isOfAnotherKey = true
      case .refused: break
      }
    }
    guard !isOfAnotherKey else { throw Self.ofAnotherKey }
    let accepted = policy.issuers?.map(\.text).joined(separator: " or ") ?? ""
    let reason = issuers.lazy.compactMap { $0.fault(ofTenantIn: claims) }.first
    throw AuthError(
      .issuerMismatch,
      "`iss` is \(issuer == nil ? "missing, and must be" : "not") \(accepted)\(reason.map { ": \($0)" } ?? "")")
  }

  private static var ofAnotherKey: AuthError {
    AuthError(
      .issuerMismatch, "the token's key names another issuer (`issuer` in the key set): it does not sign for this one")
  }

  private func check(_ registered: RegisteredClaims, of claims: ScannedObject) throws(AuthError) {
    if let audiences, !audiences.contains(where: { registered.isMeant(for: $0, in: claims) }) {
      let accepted = policy.audiences?.joined(separator: " or ") ?? ""
      throw AuthError(
        .audienceMismatch,
        accepted.isEmpty
          ? "the policy accepts no audience"
          : "`aud` \(claims.scanned(keys.aud) == nil ? "is missing, and must" : "does not") contain \(accepted)")
    }
    if let authorizedParty, !claims.isText(registered.authorizedParty, authorizedParty) {
      throw AuthError(.audienceMismatch, "`azp` is not \(policy.authorizedParty ?? "")")
    }
    if policy.requiresUserID {
      guard let subject = registered.subject, claims.isText(subject, of: 128) else {
        throw AuthError(.claimInvalid, "`sub` is not a user ID of 1 to 128 characters")
      }
    }
  }

  /// Refuses a security event (RFC 8417), such as OpenID's logout token, if the policy is for another type: it has the
  /// issuer, the audience and the subject of an ID token, and `typ` need not say what it is.
  private func checkEvents(of claims: ScannedObject) throws(AuthError) {
    guard policy.type.namesOrdinaryToken, let found = claims.scanned(keys.events),
      let events = claims.built(found).object,
      events.names.contains(where: { $0.utf8.contains(UInt8(ascii: ":")) })
    else { return }
    throw AuthError(
      .typeMismatch, "`events` names a security event, such as a logout: the token is not one to sign in with")
  }

  private func checkBinding(of claims: ScannedObject) throws(AuthError) {
    guard policy.binding != .any else { return }
    let confirmation = claims.scanned(keys.cnf).map(claims.built) ?? .null
    switch policy.binding {
    case .any: break
    case .bearer:
      guard confirmation == .null else {
        throw AuthError(.proofRequired, "the token is bound to a key (`cnf`) and is no bearer token: verify its proof")
      }
    case .bound:
      guard confirmation.object?.isEmpty == false else {
        throw AuthError(.proofRequired, "the token is not bound to a key (`cnf` is missing)")
      }
      try BindingRule.requireOneKey(in: confirmation)
    }
  }

  /// Checks the claims that bind an ID token to one sign-in.
  private func checkSignIn(_ claims: ScannedObject, _ hash: HashAlgorithm?) throws(AuthError) {
    if let nonce { try compare("nonce", of: claims, nonce) }
    if let token = policy.accompanyingAccessToken { try compare("at_hash", of: claims, halfHash(of: token, hash)) }
    if let code = policy.accompanyingCode { try compare("c_hash", of: claims, halfHash(of: code, hash)) }
  }

  private func compare(_ name: String, of claims: ScannedObject, _ wanted: [UInt8]) throws(AuthError) {
    guard let text = claims[name]?.string, constantTimeEquals(Array(text.utf8), wanted) else {
      throw AuthError(.claimInvalid, "`\(name)` is not that of this sign-in")
    }
  }

  /// The left half of a hash, in base64url (OpenID Connect Core §3.1.3.6).
  private func halfHash(of secret: Secret, _ hash: HashAlgorithm?) throws(AuthError) -> [UInt8] {
    guard let hash else {
      throw AuthError(.algorithmRefused, "`at_hash` and `c_hash` are not supported for the token's `alg`")
    }
    return Base64URL.encodedBytes(try hash.digest(of: Array(secret.revealed.utf8)).prefix(hash.length / 2))
  }

  // Each comparison is written so that it fails for a clock that returns no number.
  func check(_ times: Times, at now: Double) throws(AuthError) {
    if let issued = times.issuedAt, let expiry = times.expiry, expiry < issued {
      throw AuthError(.claimInvalid, "`exp` is before `iat`")
    }
    if let longest = maximumLifetime {
      guard let issued = times.issuedAt, let expiry = times.expiry, expiry - issued <= longest else {
        throw AuthError(.claimInvalid, "the lifetime from `iat` to `exp` is longer than \(longest) seconds")
      }
    }
    guard checksTime else { return }
    if let expiry = times.expiry {
      guard now < expiry + leeway else { throw .tokenExpired(at: expiry, now: now) }
    }
    if let begin = times.notBefore {
      guard begin <= now + leeway else {
        throw AuthError(.tokenNotYetValid, "`nbf` is in the future; check this machine's clock")
      }
    }
    guard times.issuedAt ?? now <= now + leeway else {
      throw AuthError(.tokenNotYetValid, "`iat` is in the future; check this machine's clock")
    }
    guard times.authenticatedAt ?? now <= now + leeway else {
      throw AuthError(.tokenNotYetValid, "`auth_time` is in the future; check this machine's clock")
    }
    if let longest = maximumAge {
      guard let issued = times.issuedAt else { throw AuthError(.claimInvalid, "`iat` is missing") }
      guard now - issued <= longest + leeway else {
        throw AuthError(.tokenExpired, "`iat` is more than \(longest) seconds ago")
      }
    }
  }
}
