import Gatehouse
import GatehouseBase
import GatehouseConfiguration
import GatehouseJOSE
import GatehouseLocal

extension Home {
  /// Signs in, with the account's second factor if it has one. No session is open while a person types.
  ///
  /// - Parameter beforePrompt: called before a person is asked for a code.
  /// - Returns: the user, who may be another one than the user who was signed in before.
  func signIn(
    with factor: SecondFactorOptions, beforePrompt: () async -> Void = {},
    _ signIn: (Auth) async throws(AuthError) -> User
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
      await beforePrompt()
      return try await waiting.finishAsking(ofApp: factor.app)
    }
  }

  /// Signs in the account's user again as `Auth.signInAgain` does, with the second factor if there is one. The session
  /// that the home had until then is ended, because no program would ever end it.
  func signInAgain(
    _ account: SignedInAccount, password: Secret?, _ factor: SecondFactorOptions, beforePrompt: () async -> Void = {}
  ) async throws(AuthError) {
    let former = try await storedSessionID()
    let user = try await signIn(with: factor, beforePrompt: beforePrompt) { auth throws(AuthError) in
      try await auth.signInAgain(account, password: password)
    }
    try account.require(user)
    guard let former, try await storedSessionID()?.isExactly(former) == false else { return }
    try await withSession { auth throws(AuthError) in
      do throws(AuthError) { try await typed { try await auth.user(of: account).revokeSession(former) } } catch {
        // Google's servers cannot end a single session.
        guard server != nil, error.code == .operationNotAllowed else { throw error }
      }
    }
  }

  /// Tells a person where to find a text that the home's own provider has written, if its settings name no delivery.
  func tellOfText() async throws(AuthError) {
    guard server == nil, try await settingsInForce().options.textDelivery == nil else { return }
    StandardError.say("the text is the newest file in \(outbox.shown)")
  }

  /// Returns the provider's identifier of the session that the home keeps; `nil` if it keeps none.
  private func storedSessionID() async throws(AuthError) -> String? {
    guard let stored = try await store.load() else { return nil }
    // An emulator's token is not signed. An unreadable token names no session.
    return try? TokenAnatomy(stored.tokens.idToken.revealed).claims?["sid"]?.string
  }
}
