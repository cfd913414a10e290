public import Foundation
import GatehouseBase
import GatehouseJOSE

/// An ID token and its contents. The token is read, not verified: servers verify what they receive.
public struct AuthTokenResult: Sendable, Hashable {
  /// The token itself.
  public let token: String
  /// All claims of the token, in their order.
  @_disfavoredOverload public let claims: JSONObject
  /// The expiration date of the token (`exp`).
  @_disfavoredOverload public let expirationDate: Date?
  /// The date of the sign-in (`auth_time`); a refresh does not change it.
  @_disfavoredOverload public let authDate: Date?
  /// The date on which the token was issued (`iat`).
  @_disfavoredOverload public let issuedAtDate: Date?
  /// The sign-in method: `password`, `anonymous`, …
  @_disfavoredOverload public let signInProvider: String?
  /// The second factor of the sign-in: `phone`, `totp`.
  @_disfavoredOverload public let signInSecondFactor: String?
  private let header: TokenHeader

  /// - Parameter isEmulated: whether the token comes from an emulator, which may not have signed it.
  init(_ token: String, isEmulated: Bool) throws(AuthError) {
    self.token = token
    let read: any TokenClaims
    if isEmulated, token.utf8.last == UInt8(ascii: ".") {
      let unsecured = try typed { try UnsecuredToken(token) }
      (read, header) = (unsecured, unsecured.header)
    } else {
      let unverified = try typed { try UnverifiedToken(token) }
      (read, header) = (unverified, unverified.header)
    }
    claims = read.claims
    let firebase = claims["firebase"]?.object
    expirationDate = read.expiry
    authDate = read.authenticationTime
    issuedAtDate = read.issuedAt
    signInProvider = firebase?["sign_in_provider"]?.string
    signInSecondFactor = firebase?["sign_in_second_factor"]?.string
  }
}

extension AuthTokenResult: CustomStringConvertible, CustomReflectable {
  private struct Claims: TokenClaims { let claims: JSONObject }

  private var summary: TokenSummary {
    TokenSummary("AuthTokenResult", Claims(claims: claims), algorithm: header.algorithm, keyID: header.keyID)
  }
  /// The issuer, subject, audiences, times, algorithm and key ID; never the token's text or its other claims.
  public var description: String { summary.description }
  /// The members of `description`, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
