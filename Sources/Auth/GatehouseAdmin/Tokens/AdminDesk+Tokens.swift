import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

extension AdminDesk {
  /// Verifies a token and, with `checkRevoked`, that the token was not revoked and its user is not disabled.
  func verify(
    _ token: String, as kind: UserTokenKind, checkRevoked: Bool
  ) async throws(AuthError) -> VerifiedToken {
    let verified = try await project.verify(token, as: kind)
    let tenant = verified["firebase"]?["tenant"]?.string
    if let tenantID, tenant?.isExactly(tenantID) != true { throw AuthError(server: .tenantIDMismatch) }
    guard checkRevoked else { return verified }
    // The lookup uses the token's own tenant, which may be none, or another one than this administrator's.
    var desk = self
    desk.tenantID = tenant
    guard let uid = verified.subject, let signedIn = verified.authenticationTime else {
      throw AuthError(.claimInvalid, "the token does not say who signed in, and when")
    }
    let user = try await desk.user(.uid(uid))
    guard !user.isDisabled else { throw AuthError(server: .userDisabled) }
    if let validAfter = user.tokensValidAfter, signedIn < validAfter {
      throw AuthError(.tokenRevoked, "the user's tokens were revoked after this sign-in; the user must sign in again")
    }
    // This sign-in may be over although the user has others.
    if project.knowsSessions, let session = verified["sid"]?.string,
      try await desk.answer(CheckSession(localId: uid, sessionId: session)).isOver
    {
      throw AuthError(.tokenRevoked, "this sign-in is over; the user must sign in again")
    }
    return verified
  }

  func customToken(forUID uid: String, claims: JSONObject) async throws(AuthError) -> String {
    try await project.customToken(forUID: uid, tenantID: tenantID, claims: claims)
  }

  func sessionCookie(forIDToken idToken: Secret, expiresIn: Duration) async throws(AuthError) -> String {
    let call = CreateSessionCookie(idToken: idToken, validDuration: DecimalString(secondsOf: expiresIn))
    return try await answer(call).sessionCookie.revealed
  }
}
