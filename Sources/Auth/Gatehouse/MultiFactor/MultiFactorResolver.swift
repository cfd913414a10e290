import GatehouseBase
import GatehouseCore
import GatehouseQueues

/// Completes a sign-in that waits for a second factor: from `Auth.multiFactorResolver(for:)`, or for a reauthentication
/// from `Auth.multiFactorResolver(for:reauthenticating:)`.
public struct MultiFactorResolver: Sendable {
  /// The `Auth` that the user signs in to.
  public let auth: Auth
  /// The factors that the account has: show them, and ask the user for one.
  @_disfavoredOverload public let hints: [MultiFactorInfo]
  /// The session of the waiting sign-in, for `PhoneAuthProvider.verifyPhoneNumber(with:multiFactorSession:)`.
  public var session: MultiFactorSession { MultiFactorSession(auth.engine, pending) }
  private let pending: PendingSignIn
  private let user: User?

  init(_ auth: Auth, _ pending: PendingSignIn, _ user: User?) {
    self.auth = auth
    self.pending = pending
    self.user = user
    hints = pending.factors.map(MultiFactorInfo.init)
  }

  /// Completes the sign-in.
  ///
  /// - Throws: `.invalidVerificationCode`: ask again, the sign-in still waits; `.invalidMultiFactorSession`: it has
  ///   waited too long, sign in again; `.tooManyRequests`; `.invalidArgument` for an assertion that enrolls; …
  @discardableResult
  public func resolveSignIn(
    with assertion: MultiFactorAssertion, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let proof = try assertion.signIn()
    return try await onWorkQueue { [engine = auth.engine, pending, user] () throws(AuthError) in
      try await engine.resolve(pending, proof, reauthenticating: user, timeout)
    }
  }

  /// Completes the sign-in.
  public func resolveSignIn(
    with assertion: MultiFactorAssertion, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let proof = Result { () throws(AuthError) in try assertion.signIn() }
    auth.engine.deliver(to: completion) { [engine = auth.engine, pending, user] () throws(AuthError) in
      try await engine.resolve(pending, try proof.typed(), reauthenticating: user, timeout)
    }
  }
}

extension AuthEngine {
  fileprivate func resolve(
    _ pending: PendingSignIn, _ proof: SecondFactorProof, reauthenticating user: User?, _ timeout: Duration?
  ) async throws(AuthError) -> AuthDataResult {
    guard let user else {
      return try await result { () throws(AuthError) in
        try await signInInternal(pending.credential, with: proof, timeout: timeout)
      }
    }
    return try await user.engine.result(reauthenticating: user.session) { () throws(AuthError) in
      try await user.engine.reauthenticateInternal(user.session, pending.credential, with: proof, timeout: timeout)
    }
  }
}

extension Auth {
  /// Returns the resolver of a sign-in that threw `.secondFactorRequired`; `nil` for any other error.
  public func multiFactorResolver(for error: any Error) -> MultiFactorResolver? {
    (error as? AuthError)?.pendingSignIn.map { MultiFactorResolver(self, $0, nil) }
  }

  /// Returns the resolver of a user's reauthentication that threw `.secondFactorRequired`; `nil` for any other error.
  public func multiFactorResolver(for error: any Error, reauthenticating user: User) -> MultiFactorResolver? {
    (error as? AuthError)?.pendingSignIn.map { MultiFactorResolver(self, $0, user) }
  }
}
