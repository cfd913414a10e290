import Gatehouse
import GatehouseBase
import GatehouseJOSE

extension Home {
  /// Signs in, with the account's second factor if it has one. No session is open while a person types.
  ///
  /// - Returns: the user, who may be another one than was signed in.
  func signIn(
    with factor: SecondFactorOptions, _ signIn: (Auth) async throws(AuthError) -> User
  ) async throws(AuthError) -> User {
    var tenantID: String?
    do throws(AuthError) {
      return try await withSession { auth throws(AuthError) in
        defer { tenantID = auth.tenantID }
        return try await signIn(auth)
      }
    } catch {
      guard let waiting = WaitingSignIn(error, in: self, tenantID: tenantID) else { throw error }
      if let code = factor.code { return try await waiting.finish(with: code, ofApp: factor.app) }
      return try await waiting.finishAsking(ofApp: factor.app)
    }
  }

  /// Signs the account's user in once more, as `Auth.signInAgain` does, with the second factor if there is one. The
  /// session that the home kept until then ends: no program would end it any more.
  func signInAgain(
    _ account: SignedInAccount, password: Secret?, _ factor: SecondFactorOptions
  ) async throws(AuthError) {
    let former = try await storedSessionID()
    let user = try await signIn(with: factor) { auth throws(AuthError) in
      try await auth.signInAgain(account, password: password)
    }
    try account.require(user)
    guard let former, try await storedSessionID()?.isExactly(former) == false else { return }
    try await withSession { auth throws(AuthError) in
      do throws(AuthError) { try await auth.user(of: account).revokeSession(former) } catch {
        // Google's servers know no single sessions.
        guard server != nil, error.code == .operationNotAllowed else { throw error }
      }
    }
  }

  /// What the provider calls the session that the home keeps; `nil` where it keeps none.
  private func storedSessionID() async throws(AuthError) -> String? {
    guard let stored = try await FileCredentialStore(path: session).load() else { return nil }
    return try UnverifiedToken(stored.tokens.idToken.revealed).claims["sid"]?.string
  }
}
