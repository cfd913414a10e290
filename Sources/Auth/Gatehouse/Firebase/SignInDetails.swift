import GatehouseBase
import GatehouseCore

/// The parts of a failed sign-in or link to continue with, as Firebase's `userInfo` has them. Keeps no session alive.
struct SignInDetails: ErrorDetails {
  weak let engine: AuthEngine?
  weak let session: UserSession?
  let reauthenticates: Bool

  init(_ engine: AuthEngine, reauthenticating session: UserSession?) {
    self.engine = engine
    self.session = session
    reauthenticates = session != nil
  }

  func userInfo(of error: AuthError) -> [String: any Sendable] {
    var info: [String: any Sendable] = [:]
    info[AuthErrors.userInfoUpdatedCredentialKey] = error.updatedCredential
    info[AuthErrors.userInfoMultiFactorResolverKey] = resolver(of: error)
    return info
  }

  private func resolver(of error: AuthError) -> MultiFactorResolver? {
    guard let engine, let pending = error.pendingSignIn else { return nil }
    guard reauthenticates else { return MultiFactorResolver(Auth(engine), pending, nil) }
    return session.map { MultiFactorResolver(Auth(engine), pending, User($0, engine)) }
  }
}

extension AuthEngine {
  /// Runs a sign-in, link or reauthentication of the app.
  func result(
    reauthenticating session: UserSession? = nil, of signIn: () async throws(AuthError) -> SignInResult
  ) async throws(AuthError) -> AuthDataResult {
    AuthDataResult(try await withDetails(reauthenticating: session, signIn), self)
  }

  /// Runs a call whose error may have a credential or a second factor to continue with.
  func withDetails<Value>(
    reauthenticating session: UserSession? = nil, _ call: () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    do throws(AuthError) {
      return try await call()
    } catch {
      throw error.with(SignInDetails(self, reauthenticating: session))
    }
  }
}
