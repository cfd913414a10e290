package import GatehouseBase
import GatehouseQueues
package import IdentityToolkit

// The implementation of the public asynchronous calls.
extension AuthEngine {
  /// Creates an account and signs in to it.
  package func createUserInternal(
    email: String, password: Secret, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await signIns.createUser(email: email, password: password, timeout: timeout)
  }

  /// Signs in with a credential.
  package func signInInternal(
    with credential: Credential, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await signIns.signIn(with: credential, timeout: timeout)
  }

  /// Signs in with a token that a server of the project has signed.
  package func signInInternal(customToken: Secret, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await signIns.signIn(customToken: customToken, timeout: timeout)
  }

  /// Signs in to an anonymous account; creates one if there is none.
  package func signInAnonymouslyInternal(timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await signIns.signInAnonymously(timeout: timeout)
  }

  /// Makes a user of this or another `Auth` the current one.
  package func updateCurrentUserInternal(
    _ other: UserSession, timeout: Duration?,
    tokens: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens
  ) async throws(AuthError) {
    try await signIns.updateCurrentUser(other, timeout: timeout, tokens: tokens)
  }

  /// Returns a session's tokens, for use in another session.
  package func tokensToMoveInternal(_ session: UserSession, now: ClockReading) async throws(AuthError) -> SessionTokens
  {
    try await signIns.tokensToMove(session, now: now)
  }

  /// - Parameter now: the clocks' reading when the call was made; clocks are not read on the work queue.
  package func getIDTokenInternal(
    _ session: UserSession, forcingRefresh: Bool, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) -> SessionTokens {
    try await tokens.getIDToken(session, forcingRefresh: forcingRefresh, now: now, timeout: timeout)
  }

  /// Whether the backend's ID tokens come from an emulator. Calls the backend: not on the work queue.
  package nonisolated var isEmulated: Bool { environment.dependencies.current?.backend.isEmulator ?? false }

  /// Returns the session's tokens while they are fresh; `nil` if `getIDTokenInternal` must be called.
  package func freshTokensInternal(_ session: UserSession, now: ClockReading) -> SessionTokens? {
    tokens.atHand(session, now: now)
  }

  /// Fetches the user's profile from the provider.
  package func reloadInternal(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await account.reload(session, timeout: timeout)
  }

  /// Changes the name or the picture. `nil` keeps a field; an inner `nil` removes it.
  package func updateProfileInternal(
    _ session: UserSession, displayName: String??, photoURL: String??, timeout: Duration?
  ) async throws(AuthError) {
    try await account.updateProfile(session, displayName: displayName, photoURL: photoURL, timeout: timeout)
  }

  /// Changes the password.
  package func updatePasswordInternal(
    _ session: UserSession, to password: Secret, timeout: Duration?
  ) async throws(AuthError) {
    try await account.updatePassword(session, to: password, timeout: timeout)
  }

  /// Changes the address.
  package func updateEmailInternal(
    _ session: UserSession, to email: String, timeout: Duration?
  ) async throws(AuthError) {
    try await account.updateEmail(session, to: email, timeout: timeout)
  }

  /// Adds a way to sign in to the account.
  package func linkInternal(
    _ session: UserSession, with credential: Credential, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    let details = try await account.link(session, with: credential, timeout: timeout)
    return SignInResult(session: session, isNewUser: false, providerID: credential.providerID, details: details)
  }

  /// Sets the account's phone.
  package func updatePhoneNumberInternal(
    _ session: UserSession, to proof: PhoneProof, timeout: Duration?
  ) async throws(AuthError) {
    try await account.updatePhoneNumber(session, to: proof, timeout: timeout)
  }

  /// Removes a way to sign in from the account.
  package func unlinkInternal(
    _ session: UserSession, from providerID: String, timeout: Duration?
  ) async throws(AuthError) {
    try await account.unlink(session, from: providerID, timeout: timeout)
  }

  /// Proves the user's identity again; the session continues with a recent sign-in.
  package func reauthenticateInternal(
    _ session: UserSession, with credential: Credential, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    let details = try await account.reauthenticate(session, with: credential, timeout: timeout)
    return SignInResult(session: session, isNewUser: false, providerID: credential.providerID, details: details)
  }

  /// Deletes the account, and ends the session.
  package func deleteInternal(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await account.delete(session, timeout: timeout)
  }
}

// The implementation of the public synchronous calls. Each is quick.
extension AuthEngine {
  package func stateInternal() -> EngineState { keeper.state }
  package func currentSessionInternal() -> UserSession? { keeper.state.session }
  package func profileInternal(_ session: UserSession) -> UserProfile { session.profile }
  package func refreshTokenInternal(_ session: UserSession) -> Secret? {
    session.ending == nil ? session.tokens.refreshToken : nil
  }
  /// Ends the session in memory at once, and enqueues its erasure.
  package func signOutInternal() throws(AuthError) { try signIns.signOut() }
  package func addListenerInternal(_ registration: ListenerRegistration) {
    if admission.isClosing { return registration.end() }
    keeper.listeners.add(registration)
  }
  package func removeListenerInternal(_ registration: ListenerRegistration) { keeper.listeners.remove(registration) }
  package func listenerCountInternal() -> Int { keeper.listeners.count }
  package func refreshesAutomaticallyInternal() -> Bool { tokens.refreshesAutomatically }
  package func setAutoRefreshInternal(_ isOn: Bool) { tokens.setRefreshesAutomatically(isOn) }
}
