import Gatehouse
import GatehouseBase

extension Home {
  /// How often a person may mistype a code. The provider counts as well.
  static let tries = 3

  /// Signs in, with the account's second factor if it has one. No session is open while a person types.
  ///
  /// - Returns: the user, who may be another one than was signed in.
  func signIn(
    with factor: SecondFactorOptions, _ signIn: (Auth) async throws(AuthError) -> User
  ) async throws(AuthError) -> User {
    do throws(AuthError) { return try await withSession(signIn) } catch {
      guard let waiting = WaitingSignIn(error, in: self) else { throw error }
      if let code = factor.code { return try await waiting.finish(with: code) }
      return try await waiting.finishAsking()
    }
  }

  /// Signs the account's user in once more, as `Auth.signInAgain` does, with the second factor if there is one.
  func signInAgain(
    _ account: SignedInAccount, password: Secret?, _ factor: SecondFactorOptions
  ) async throws(AuthError) {
    let user = try await signIn(with: factor) { auth throws(AuthError) in
      try await auth.signInAgain(account, password: password)
    }
    try account.require(user)
  }
}
