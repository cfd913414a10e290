import GatehouseBase

/// The claims that verifiers check, each of the right type, with their offsets. Claims that are not requested are
/// absent.
struct RegisteredClaims: BitwiseCopyable {
  let issuer: ScannedValue?
  let subject: ScannedValue?
  let authorizedParty: ScannedValue?
  let times: Times
  private let audience: ScannedValue?

  /// The lookup keys of the claims' names.
  struct Keys: Sendable, BitwiseCopyable {
    let iss: MemberKey = "iss", sub: MemberKey = "sub", aud: MemberKey = "aud", azp: MemberKey = "azp"
    let jti: MemberKey = "jti", exp: MemberKey = "exp", nbf: MemberKey = "nbf", iat: MemberKey = "iat"
    let authTime: MemberKey = "auth_time", cnf: MemberKey = "cnf", events: MemberKey = "events"
  }

  init(
    _ claims: ScannedObject, _ keys: Keys = Keys(), audience asksAudience: Bool = true,
    authorizedParty asksParty: Bool = true, authenticationTime asksAuthentication: Bool = true
  ) throws(AuthError) {
    issuer = try claims.string(keys.iss, "iss")
    subject = try claims.string(keys.sub, "sub")
    authorizedParty = asksParty ? try claims.string(keys.azp, "azp") : nil
    _ = try claims.string(keys.jti, "jti")
    audience = asksAudience ? claims.scanned(keys.aud) : nil
    if let audience, !claims.isString(audience), Self.names(audience, in: claims) == nil {
      throw AuthError(claim: "aud")
    }
    times = Times(
      expiry: try claims.moment(keys.exp, "exp"), notBefore: try claims.moment(keys.nbf, "nbf"),
      issuedAt: try claims.moment(keys.iat, "iat"),
      authenticatedAt: asksAuthentication ? try claims.moment(keys.authTime, "auth_time") : nil)
  }

  func isMeant(for name: [UInt8], in claims: ScannedObject) -> Bool {
    guard let audience, !claims.isString(audience) else { return claims.isText(audience, name) }
    return Self.names(audience, in: claims)?.contains { $0.utf8.elementsEqual(name) } ?? false
  }

  /// A list of at least one name that contains nothing else.
  private static func names(_ value: ScannedValue, in claims: ScannedObject) -> [String]? {
    guard let list = claims.built(value).array, !list.isEmpty else { return nil }
    let names = list.compactMap(\.string)
    return names.count == list.count ? names : nil
  }
}

/// The time claims, in seconds since 1970.
struct Times: Sendable, BitwiseCopyable {
  let expiry: Double?
  let notBefore: Double?
  let issuedAt: Double?
  let authenticatedAt: Double?
}

extension ScannedObject {
  /// Whether a value is present, and is a string of exactly these bytes.
  func isText(_ value: ScannedValue?, _ text: [UInt8]) -> Bool {
    guard let value else { return false }
    return isExactly(value, text)
  }

  fileprivate func string(_ key: MemberKey, _ name: StaticString) throws(AuthError) -> ScannedValue? {
    guard let value = scanned(key) else { return nil }
    guard isString(value) else { throw AuthError(claim: name) }
    return value
  }

  fileprivate func moment(_ key: MemberKey, _ name: StaticString) throws(AuthError) -> Double? {
    guard let value = scanned(key) else { return nil }
    guard let date = NumericDate(value, in: self) else { throw AuthError(claim: name) }
    return date.seconds
  }
}

extension AuthError {
  fileprivate convenience init(claim name: StaticString) {
    self.init(.claimInvalid, "`\(name)` has the wrong type")
  }
}
