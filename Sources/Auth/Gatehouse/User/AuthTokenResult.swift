import GatehouseJOSE

/// An ID token and what it says. Read, not verified: servers verify what they receive.
public struct AuthTokenResult: Sendable, Hashable {
  /// The token itself.
  public let token: String
  /// Everything that the token says, in its order.
  public let claims: JSONObject
  /// When the token expires, in seconds since 1970.
  public let expirationDate: Double?
  /// When the user signed in; a refresh does not change it. In seconds since 1970.
  public let authDate: Double?
  /// When the token was issued, in seconds since 1970.
  public let issuedAtDate: Double?
  /// How the user signed in: `password`, `anonymous`, …
  public let signInProvider: String?
  /// The second factor of the sign-in: `phone`, `totp`.
  public let signInSecondFactor: String?

  init(_ token: String) throws(AuthError) {
    let unverified = try UnverifiedToken(token)
    let firebase = unverified.claims["firebase"]?.object
    self.token = token
    claims = unverified.claims
    expirationDate = unverified.expiry
    authDate = unverified.authenticationTime
    issuedAtDate = unverified.issuedAt
    signInProvider = firebase?["sign_in_provider"]?.string
    signInSecondFactor = firebase?["sign_in_second_factor"]?.string
  }
}
