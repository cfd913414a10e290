import GatehouseBase

extension VerificationPolicy {
  /// Checks everything that the policy asks of the claims.
  func check(_ claims: ScannedObject, at now: Double) throws(AuthError) {
    let parties = try Parties(claims)
    let times = try Times(claims)
    for name in requiredClaims where claims.scanned(name) == nil {
      throw AuthError(.claimInvalid, "the token has no \(name)")
    }
    try check(parties)
    try check(times, at: now)
  }

  private func check(_ parties: Parties) throws(AuthError) {
    if let issuer, parties.issuer?.isExactly(issuer) != true {
      throw AuthError(.issuerMismatch, "the token does not come from \(issuer)")
    }
    if let audience, !parties.isMeant(for: audience) {
      throw AuthError(.audienceMismatch, "the token is not meant for \(audience)")
    }
    if let authorizedParty, parties.authorizedParty?.isExactly(authorizedParty) != true {
      throw AuthError(.audienceMismatch, "the token was not given to \(authorizedParty)")
    }
    if requiresUserID, !(1...128).contains(parties.subject?.characterCount ?? 0) {
      throw AuthError(.claimInvalid, "the token's sub is not a user's identifier")
    }
  }

  // Each comparison asks for what must hold, so that a clock that shows no number refuses everything.
  private func check(_ times: Times, at now: Double) throws(AuthError) {
    if let issued = times.issuedAt, let expiry = times.expiry, expiry < issued {
      throw AuthError(.claimInvalid, "the token ended before it was made")
    }
    if let longestLifetime {
      guard let issued = times.issuedAt, let expiry = times.expiry, expiry - issued <= longestLifetime else {
        throw AuthError(.claimInvalid, "the token lives longer than \(longestLifetime) seconds")
      }
    }
    guard checksTime else { return }
    if let expiry = times.expiry {
      guard now < expiry + leeway else { throw AuthError(.tokenExpired, "the token has expired") }
    }
    if let begin = times.notBefore {
      guard begin <= now + leeway else { throw AuthError(.tokenNotYetValid, "the token is not valid yet") }
    }
    for moment in [times.issuedAt, times.authenticatedAt] {
      guard let moment else { continue }
      guard moment <= now + leeway else {
        throw AuthError(.tokenNotYetValid, "the token tells of something in the future: is this machine's clock right?")
      }
    }
    if let longestAge {
      guard let issued = times.issuedAt, now - issued <= longestAge + leeway else {
        throw AuthError(.tokenExpired, "the token was made more than \(longestAge) seconds ago")
      }
    }
  }
}

/// The claims that name somebody, each of the right type.
private struct Parties {
  let issuer: ScannedValue?
  let subject: ScannedValue?
  let authorizedParty: ScannedValue?
  private let audience: ScannedValue?
  private let audiences: [String]?

  init(_ claims: ScannedObject) throws(AuthError) {
    issuer = try Self.text("iss", in: claims)
    subject = try Self.text("sub", in: claims)
    authorizedParty = try Self.text("azp", in: claims)
    _ = try Self.text("jti", in: claims)
    audience = claims.scanned("aud")
    if let audience, !audience.isString {
      guard let list = audience.built.array, !list.isEmpty, list.allSatisfy({ $0.string != nil }) else {
        throw AuthError(claim: "aud")
      }
      audiences = list.compactMap(\.string)
    } else {
      audiences = nil
    }
  }

  func isMeant(for name: String) -> Bool {
    if let audiences { return audiences.contains { $0.isExactly(name) } }
    return audience?.isExactly(name) ?? false
  }

  private static func text(_ name: String, in claims: ScannedObject) throws(AuthError) -> ScannedValue? {
    guard let value = claims.scanned(name) else { return nil }
    guard value.isString else { throw AuthError(claim: name) }
    return value
  }
}

/// The claims that name a moment, in seconds since 1970.
private struct Times {
  let expiry: Double?
  let notBefore: Double?
  let issuedAt: Double?
  let authenticatedAt: Double?

  init(_ claims: ScannedObject) throws(AuthError) {
    expiry = try Self.moment("exp", in: claims)
    notBefore = try Self.moment("nbf", in: claims)
    issuedAt = try Self.moment("iat", in: claims)
    authenticatedAt = try Self.moment("auth_time", in: claims)
  }

  private static func moment(_ name: String, in claims: ScannedObject) throws(AuthError) -> Double? {
    guard let value = claims.scanned(name) else { return nil }
    guard let date = NumericDate(value) else { throw AuthError(claim: name) }
    return date.seconds
  }
}

extension AuthError {
  fileprivate init(claim name: String) {
    self.init(.claimInvalid, "the token's \(name) is not what such a claim must be")
  }
}
