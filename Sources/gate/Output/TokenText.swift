import GatehouseBase
import GatehouseJOSE

/// How a token is written: bare, or as JSON with the moment it expires.
struct TokenText: Sendable {
  let asJSON: Bool

  func text(of token: String) throws(AuthError) -> String {
    guard asJSON else { return token }
    var json: JSONObject = ["token": .string(token)]
    // As the token itself spells it: seconds since 1970.
    json["expires"] = try UnverifiedToken(token).claims["exp"]
    return "\(json)"
  }
}
