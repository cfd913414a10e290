import GatehouseBase

/// What a policy asks of claims, ready to be asked.
struct ClaimRules: Sendable {
  private let policy: VerificationPolicy
  private let required: [String]
  private let keys = RegisteredClaims.keys

  init(_ policy: VerificationPolicy) {
    self.policy = policy
    required = policy.requiredClaims.map { $0 }
  }

  /// Checks everything that the policy asks of the claims.
  func check(_ claims: ScannedObject, at now: Double) throws(AuthError) {
    let registered = try RegisteredClaims(claims, keys)
    for place in required.indices where claims.scanned(required[place]) == nil {
      throw AuthError(.claimInvalid, "the token has no \(required[place])")
    }
    try check(registered, of: claims)
    try check(registered.times, at: now)
  }

  private func check(_ registered: RegisteredClaims, of claims: ScannedObject) throws(AuthError) {
    if let issuer = policy.issuer, !claims.isText(registered.issuer, issuer) {
      throw AuthError(.issuerMismatch, "the token does not come from \(issuer)")
    }
    if let audience = policy.audience, !registered.isMeant(for: audience, in: claims) {
      throw AuthError(.audienceMismatch, "the token is not meant for \(audience)")
    }
    if let authorizedParty = policy.authorizedParty, !claims.isText(registered.authorizedParty, authorizedParty) {
      throw AuthError(.audienceMismatch, "the token was not given to \(authorizedParty)")
    }
    if policy.requiresUserID {
      guard let subject = registered.subject, let length = claims.characterCount(subject), (1...128).contains(length)
      else { throw AuthError(.claimInvalid, "the token's sub is not a user's identifier") }
    }
  }

  // Each comparison asks for what must hold, so that a clock that shows no number refuses everything.
  func check(_ times: Times, at now: Double) throws(AuthError) {
    if let issued = times.issuedAt, let expiry = times.expiry, expiry < issued {
      throw AuthError(.claimInvalid, "the token ended before it was made")
    }
    if let longest = policy.longestLifetime {
      guard let issued = times.issuedAt, let expiry = times.expiry, expiry - issued <= longest else {
        throw AuthError(.claimInvalid, "the token lives longer than \(longest) seconds")
      }
    }
    guard policy.checksTime else { return }
    let leeway = policy.leeway
    if let expiry = times.expiry {
      guard now < expiry + leeway else { throw AuthError(.tokenExpired, "the token has expired") }
    }
    if let begin = times.notBefore {
      guard begin <= now + leeway else { throw AuthError(.tokenNotYetValid, "the token is not valid yet") }
    }
    guard times.issuedAt ?? now <= now + leeway, times.authenticatedAt ?? now <= now + leeway else {
      throw AuthError(.tokenNotYetValid, "the token tells of something in the future: is this machine's clock right?")
    }
    if let longest = policy.longestAge {
      guard let issued = times.issuedAt, now - issued <= longest + leeway else {
        throw AuthError(.tokenExpired, "the token was made more than \(longest) seconds ago")
      }
    }
  }
}

/// The claims that verifiers look at, each of the right type, and where they stand.
struct RegisteredClaims {
  let issuer: ScannedValue?
  let subject: ScannedValue?
  let authorizedParty: ScannedValue?
  let times: Times
  private let audience: ScannedValue?
  /// The audience, if it is a list.
  private let audiences: [String]?

  /// The names, in the order in which the initialiser reads their values.
  static let keys: InlineArray<9, MemberKey> = ["iss", "sub", "aud", "azp", "jti", "exp", "nbf", "iat", "auth_time"]

  init(_ claims: ScannedObject, _ keys: borrowing InlineArray<9, MemberKey> = keys) throws(AuthError) {
    let found = claims.scanned(keys)
    if let value = found[0], !claims.isString(value) { throw AuthError(claim: "iss") }
    if let value = found[1], !claims.isString(value) { throw AuthError(claim: "sub") }
    if let value = found[3], !claims.isString(value) { throw AuthError(claim: "azp") }
    if let value = found[4], !claims.isString(value) { throw AuthError(claim: "jti") }
    issuer = found[0]
    subject = found[1]
    audience = found[2]
    authorizedParty = found[3]
    if let audience, !claims.isString(audience) {
      guard let list = claims.built(audience).array, !list.isEmpty, list.allSatisfy({ $0.string != nil }) else {
        throw AuthError(claim: "aud")
      }
      audiences = list.compactMap(\.string)
    } else {
      audiences = nil
    }
    times = Times(
      expiry: try claims.moment(found[5], "exp"), notBefore: try claims.moment(found[6], "nbf"),
      issuedAt: try claims.moment(found[7], "iat"), authenticatedAt: try claims.moment(found[8], "auth_time"))
  }

  func isMeant(for name: String, in claims: ScannedObject) -> Bool {
    if let audiences { return audiences.contains { $0.isExactly(name) } }
    return claims.isText(audience, name)
  }
}

/// The claims that name a moment, in seconds since 1970.
struct Times: Sendable {
  let expiry: Double?
  let notBefore: Double?
  let issuedAt: Double?
  let authenticatedAt: Double?
}

extension ScannedObject {
  /// Whether a value is there, and is a string of exactly these bytes.
  fileprivate func isText(_ value: ScannedValue?, _ text: String) -> Bool {
    guard let value else { return false }
    return isExactly(value, text)
  }

  fileprivate func moment(_ value: ScannedValue?, _ name: StaticString) throws(AuthError) -> Double? {
    guard let value else { return nil }
    guard let date = NumericDate(value, in: self) else { throw AuthError(claim: name) }
    return date.seconds
  }
}

extension AuthError {
  fileprivate init(claim name: StaticString) {
    self.init(.claimInvalid, "the token's \(name) is not what such a claim must be")
  }
}
