public import FoundationEssentials
public import GatehouseBase

/// The registered claims (RFC 7519 §4.1) and Firebase's, typed: `nil` where missing or of the wrong type.
public protocol TokenClaims {
  /// All claims, in their order.
  var claims: JSONObject { get }

  /// A claim by name.
  subscript(_ name: String) -> JSONValue? { get }
}

extension TokenClaims {
  /// A claim by name, compared as bytes.
  public subscript(_ name: String) -> JSONValue? { claims[name] }

  /// The issuer, `iss`.
  public var issuer: String? { self["iss"]?.string }
  /// The subject, `sub`: for Firebase the user ID.
  public var subject: String? { self["sub"]?.string }
  /// The audiences, `aud`: one or several.
  public var audience: [String] {
    let value = self["aud"]
    if let one = value?.string { return [one] }
    return value?.array?.compactMap(\.string) ?? []
  }
  /// The token's ID, `jti`.
  public var tokenID: String? { self["jti"]?.string }
  /// The time when the token expires, `exp`.
  public var expiry: Date? { seconds("exp").map(Date.init(wall:)) }
  /// The time when the token becomes valid, `nbf`.
  public var notBefore: Date? { seconds("nbf").map(Date.init(wall:)) }
  /// The time when the token was issued, `iat`.
  public var issuedAt: Date? { seconds("iat").map(Date.init(wall:)) }
  /// The time when the user signed in, `auth_time`.
  public var authenticationTime: Date? { seconds("auth_time").map(Date.init(wall:)) }

  /// A claim that is a NumericDate, in seconds since 1970.
  package func seconds(_ name: String) -> Double? { self[name].flatMap(NumericDate.init)?.seconds }
}
