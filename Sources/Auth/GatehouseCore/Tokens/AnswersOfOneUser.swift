import GatehouseBase
import IdentityToolkit

// The tokens or profile of an answer can be read only together with the user that the answer must be about. So a new
// call cannot forget the check: there is no other way from a response to tokens or a profile (a test reads the
// sources).
extension SessionTokens {
  /// - Throws: `.internalError` when the answer is about another user.
  init(_ response: SignInResponse, of uid: String, received: ClockReading) throws(AuthError) {
    try SignUp.checkAnswer(about: response.localId, asked: uid)
    self.init(
      idToken: response.idToken, refreshToken: response.refreshToken, lifetimeSeconds: Double(response.expiresIn.value),
      received: received)
  }

  /// - Throws: `.internalError` when the answer is about another user.
  init(_ response: ExchangeRefreshToken.Response, of uid: String, received: ClockReading) throws(AuthError) {
    try ExchangeRefreshToken.checkAnswer(about: response.userId, asked: uid)
    self.init(
      idToken: response.idToken, refreshToken: response.refreshToken, lifetimeSeconds: Double(response.expiresIn.value),
      received: received)
  }

  /// Nil when the change brought no tokens, because it revoked none.
  ///
  /// - Throws: `.internalError` when the answer is about another user.
  init?(_ response: Update.Response, of uid: String, received: ClockReading) throws(AuthError) {
    try Update.checkAnswer(about: response.localId, asked: uid)
    guard let idToken = response.idToken, let refreshToken = response.refreshToken else { return nil }
    self.init(
      idToken: idToken, refreshToken: refreshToken, lifetimeSeconds: Double(response.expiresIn?.value ?? 0),
      received: received)
  }
}

extension Lookup.Response {
  /// The user's profile.
  ///
  /// - Throws: `.internalError` when the answer is about another user, or about none.
  func profile(of uid: String) throws(AuthError) -> UserProfile {
    guard let account = users?.first else {
      throw AuthError(.internalError, "\(Lookup.endpoint) was answered without an account; check the backend")
    }
    try Lookup.checkAnswer(about: account.localId, asked: uid)
    return account.profile
  }
}

extension Call {
  fileprivate static func checkAnswer(about uid: String, asked expected: String) throws(AuthError) {
    guard uid.isExactly(expected) else {
      throw AuthError(
        .internalError, "\(endpoint) was answered for another user; the answer was not used; check the backend")
    }
  }
}
