public import GatehouseBase

/// The registered claims (RFC 7519 §4.1) and Firebase's, typed: `nil` where missing or of the wrong type.
public protocol TokenClaims {
  /// All claims, in their order.
  var claims: JSONObject { get }
}

extension TokenClaims {
  /// A claim by name.
  public subscript(_ name: String) -> JSONValue? { claims[name] }

  /// Who made the token, `iss`.
  public var issuer: String? { claims["iss"]?.string }
  /// Whom it is about, `sub`: with Firebase the user's identifier.
  public var subject: String? { claims["sub"]?.string }
  /// Whom it is for, `aud`: one name or several.
  public var audience: [String] {
    if let one = claims["aud"]?.string { return [one] }
    return claims["aud"]?.array?.compactMap(\.string) ?? []
  }
  /// The token's own name, `jti`.
  public var tokenID: String? { claims["jti"]?.string }
  /// When it ends, `exp`, in seconds since 1970.
  public var expiry: Double? { claims["exp"].flatMap(NumericDate.init)?.seconds }
  /// When it begins, `nbf`, in seconds since 1970.
  public var notBefore: Double? { claims["nbf"].flatMap(NumericDate.init)?.seconds }
  /// When it was made, `iat`, in seconds since 1970.
  public var issuedAt: Double? { claims["iat"].flatMap(NumericDate.init)?.seconds }
  /// When the user signed in, `auth_time`, in seconds since 1970.
  public var authenticationTime: Double? { claims["auth_time"].flatMap(NumericDate.init)?.seconds }
}

/// A moment as tokens write it (RFC 7519 §2): seconds since 1970, fractions allowed, up to the year 9999.
///
/// Texts, negative numbers and later moments are none: who rounds them to the nearest possible moment makes tokens
/// that never expire.
struct NumericDate {
  let seconds: Double

  private static let last: Double = 253_402_300_799

  init?(_ value: JSONValue) {
    guard let number = value.number, !number.text.hasPrefix("-"), number.double <= Self.last else { return nil }
    seconds = number.double
  }
}
