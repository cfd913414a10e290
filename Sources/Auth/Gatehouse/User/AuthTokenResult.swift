public import Foundation
import GatehouseJOSE

/// An ID token and what it says. Read, not verified: servers verify what they receive.
public struct AuthTokenResult: Sendable, Hashable {
  /// The token itself.
  public let token: String
  /// Everything that the token says, in its order.
  public let claims: JSONObject
  /// When the token expires (`exp`).
  public let expirationDate: Date?
  /// When the user signed in (`auth_time`); a refresh does not change it.
  public let authDate: Date?
  /// When the token was issued (`iat`).
  public let issuedAtDate: Date?
  /// How the user signed in: `password`, `anonymous`, …
  public let signInProvider: String?
  /// The second factor of the sign-in: `phone`, `totp`.
  public let signInSecondFactor: String?
  private let header: TokenHeader

  init(_ token: String) throws(AuthError) {
    let unverified = try UnverifiedToken(token)
    let firebase = unverified.claims["firebase"]?.object
    self.token = token
    header = unverified.header
    claims = unverified.claims
    expirationDate = unverified.expiry
    authDate = unverified.authenticationTime
    issuedAtDate = unverified.issuedAt
    signInProvider = firebase?["sign_in_provider"]?.string
    signInSecondFactor = firebase?["sign_in_second_factor"]?.string
  }
}

extension AuthTokenResult: CustomStringConvertible, CustomReflectable {
  private struct Claims: TokenClaims { let claims: JSONObject }

  private var summary: TokenSummary {
    TokenSummary("AuthTokenResult", Claims(claims: claims), algorithm: header.algorithm, keyID: header.keyID)
  }
  /// The issuer, the subject, the audiences, the times, the algorithm and the key's name: never the token's text or its
  /// other claims.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
