public import GatehouseBase

/// The registered claims (RFC 7519 §4.1) and Firebase's, typed: `nil` where missing or of the wrong type.
public protocol TokenClaims {
  /// All claims, in their order.
  var claims: JSONObject { get }

  /// A claim by name.
  subscript(_ name: String) -> JSONValue? { get }
}

extension TokenClaims {
  public subscript(_ name: String) -> JSONValue? { claims[name] }

  /// Who made the token, `iss`.
  public var issuer: String? { self["iss"]?.string }
  /// Whom it is about, `sub`: with Firebase the user's identifier.
  public var subject: String? { self["sub"]?.string }
  /// Whom it is for, `aud`: one name or several.
  public var audience: [String] {
    let value = self["aud"]
    if let one = value?.string { return [one] }
    return value?.array?.compactMap(\.string) ?? []
  }
  /// The token's own name, `jti`.
  public var tokenID: String? { self["jti"]?.string }
  /// When it ends, `exp`, in seconds since 1970.
  public var expiry: Double? { self["exp"].flatMap(NumericDate.init)?.seconds }
  /// When it begins, `nbf`, in seconds since 1970.
  public var notBefore: Double? { self["nbf"].flatMap(NumericDate.init)?.seconds }
  /// When it was made, `iat`, in seconds since 1970.
  public var issuedAt: Double? { self["iat"].flatMap(NumericDate.init)?.seconds }
  /// When the user signed in, `auth_time`, in seconds since 1970.
  public var authenticationTime: Double? { self["auth_time"].flatMap(NumericDate.init)?.seconds }
}
