import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import Logging

extension Home {
  /// Runs a command's work with the session that this home keeps.
  ///
  /// Only a sign-up begins a provider. Returns when everything is on the disk: what could not be stored is an error,
  /// though the work itself succeeded.
  func withSession<Value: Sendable>(
    beginsProvider: Bool = false, refreshesAutomatically: Bool = false, logger: Logger = .silent,
    delivery: (any MessageDelivery)? = nil, _ work: (Auth) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await withProvider(beginsProvider: beginsProvider, delivery: delivery) { (backend) throws(AuthError) in
      let auth = Auth(
        Auth.Configuration(
          backend: backend, store: .file(session), logger: logger, refreshesAutomatically: refreshesAutomatically,
          // A watch decides itself what a sign-in elsewhere means: another user's token is never handed out.
          followsStore: false))
      let value: Value
      do throws(AuthError) {
        value = try await work(auth)
      } catch {
        try? await auth.close()  // the first reason is the one to tell
        throw error.code == .nullUser ? noUser ?? error : error
      }
      try await auth.close()
      return value
    }
  }

  /// Why no user is signed in, if this home is not even there: its name is mistyped, or it was moved away.
  private var noUser: AuthError? {
    do throws(SystemError) { guard try FileStatus.at(path) == nil else { return nil } } catch { return nil }
    return AuthError(
      .nullUser,
      "no user is signed in: there is no folder \(path); name another one with --home, or run: gate sign-up EMAIL")
  }

  /// Runs a command's work with the home's provider, and closes that, so that a copy of its folder is whole.
  func withProvider<Value: Sendable>(
    beginsProvider: Bool = false, delivery: (any MessageDelivery)? = nil,
    _ work: (LocalBackend) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let backend = try await backend(beginsProvider: beginsProvider, delivery: delivery)
    let result = await outcome { () throws(AuthError) in try await work(backend) }
    // A database that cannot be tidied up has lost nothing: the next program to open it does that.
    try? await backend.close()
    return try result.get()
  }
}

extension Auth {
  /// The signed-in user; throws when there is none.
  func requireUser() async throws(AuthError) -> User {
    try await ready()
    guard let user = currentUser else {
      throw AuthError(.nullUser, "no user is signed in; run: gate sign-in EMAIL")
    }
    return user
  }

  /// Awaits the end of restoring before a sign-in, which may replace a session that is damaged and no other that
  /// cannot be read: whatever is wrong with the folder is said before an account is made.
  func readyForSignIn() async throws(AuthError) {
    do throws(AuthError) { try await ready() } catch  where error.code == .storeDamaged {}
  }
}

extension Logger {
  /// For commands that print one error at the end: the log would print it twice.
  static var silent: Logger { Logger(label: "gate") { _ in SwiftLogNoOpLogHandler() } }
}
