import GatehouseBase

/// Claims while they are checked.
struct ClaimSet: TokenClaims {
  let claims: JSONObject
}

extension VerificationPolicy {
  /// Checks `typ`, and that the token is not an envelope for another one.
  func checkType(_ header: TokenHeader) throws(AuthError) {
    switch (type, header.type) {
    case (.any, _), (.ifPresent, nil): break
    case (.ifPresent(let wanted), let found?), (.required(let wanted), let found?):
      guard Self.mediaType(found) == Self.mediaType(wanted) else {
        throw AuthError(.typeMismatch, "the token is not of the type \(wanted)")
      }
    case (.required(let wanted), nil):
      throw AuthError(.typeMismatch, "the token does not say that it is of the type \(wanted)")
    }
    if let content = header["cty"] {
      guard let content = content.string else { throw AuthError(.headerInvalid, "the token's cty is not a text") }
      guard Self.mediaType(content) != Self.mediaType("JWT") else {
        throw AuthError(.typeMismatch, "the token contains another token")
      }
    }
  }

  /// Checks everything that the policy asks of the claims.
  func check(_ token: ClaimSet, at now: Double) throws(AuthError) {
    try checkForm(token)
    for name in requiredClaims where token[name] == nil {
      throw AuthError(.claimInvalid, "the token has no \(name)")
    }
    if let issuer, token.issuer?.isExactly(issuer) != true {
      throw AuthError(.issuerMismatch, "the token does not come from \(issuer)")
    }
    if let audience, !token.audience.contains(where: { $0.isExactly(audience) }) {
      throw AuthError(.audienceMismatch, "the token is not meant for \(audience)")
    }
    if let authorizedParty, token["azp"]?.string?.isExactly(authorizedParty) != true {
      throw AuthError(.audienceMismatch, "the token was not given to \(authorizedParty)")
    }
    if requiresUserID, !(1...128).contains(token.subject?.unicodeScalars.count ?? 0) {
      throw AuthError(.claimInvalid, "the token's sub is not a user's identifier")
    }
    if checksTime { try checkTime(token, at: now) }
  }

  /// Claims that are there are of the right type, and do not contradict each other.
  private func checkForm(_ token: ClaimSet) throws(AuthError) {
    for name in ["iss", "sub", "jti", "azp"] {
      if let value = token[name], value.string == nil { throw Self.malformed(name) }
    }
    for name in ["exp", "nbf", "iat", "auth_time"] {
      if let value = token[name], NumericDate(value) == nil { throw Self.malformed(name) }
    }
    if let audience = token["aud"], audience.string == nil {
      guard let list = audience.array, !list.isEmpty, list.allSatisfy({ $0.string != nil }) else {
        throw Self.malformed("aud")
      }
    }
    if let issued = token.issuedAt, let expiry = token.expiry, expiry < issued {
      throw AuthError(.claimInvalid, "the token ended before it was made")
    }
    if let longestLifetime {
      guard let issued = token.issuedAt, let expiry = token.expiry, expiry - issued <= longestLifetime else {
        throw AuthError(.claimInvalid, "the token lives longer than \(longestLifetime) seconds")
      }
    }
  }

  // Each comparison asks for what must hold, so that a clock that shows no number refuses everything.
  private func checkTime(_ token: ClaimSet, at now: Double) throws(AuthError) {
    if let expiry = token.expiry {
      guard now < expiry + leeway else { throw AuthError(.tokenExpired, "the token has expired") }
    }
    if let begin = token.notBefore {
      guard begin <= now + leeway else { throw AuthError(.tokenNotYetValid, "the token is not valid yet") }
    }
    for moment in [token.issuedAt, token.authenticationTime] {
      guard let moment else { continue }
      guard moment <= now + leeway else {
        throw AuthError(.tokenNotYetValid, "the token tells of something in the future: is this machine's clock right?")
      }
    }
  }

  private static func malformed(_ name: String) -> AuthError {
    AuthError(.claimInvalid, "the token's \(name) is not what such a claim must be")
  }

  /// A media type in the form in which it is compared (RFC 7515 §4.1.9).
  private static func mediaType(_ text: String) -> [UInt8] {
    let lower = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    let prefix = Array("application/".utf8)
    return lower.starts(with: prefix) ? Array(lower.dropFirst(prefix.count)) : lower
  }
}
