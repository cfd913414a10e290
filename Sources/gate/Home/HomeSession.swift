import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import IdentityToolkit
import Logging

extension Home {
  /// Runs a command's work with the session that this home keeps.
  ///
  /// A server that the home names is asked, or else its own provider. Only a sign-up begins a provider. Returns when
  /// everything is on the disk: what could not be stored is an error, though the work itself succeeded.
  func withSession<Value: Sendable>(
    beginsProvider: Bool = false, refreshesAutomatically: Bool = false, logger: Logger = .silent,
    delivery: (any MessageDelivery)? = nil, _ work: (Auth) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    if let server {
      return try await withSession(
        asking: server.asBackend(), refreshesAutomatically: refreshesAutomatically, logger: logger, work)
    }
    return try await withProvider(beginsProvider: beginsProvider, delivery: delivery) { (provider) throws(AuthError) in
      try await withSession(
        asking: provider, refreshesAutomatically: refreshesAutomatically, logger: logger, work)
    }
  }

  /// As `withSession`, for work that may need no provider: a mistake in its settings is the error of its first call.
  func withSessionAtHand<Value: Sendable>(
    _ work: (Auth) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    guard server == nil else { return try await withSession(work) }
    let provider: LocalBackend
    do throws(AuthError) { provider = try await backend(beginsProvider: false) } catch {
      return try await withSession(asking: UnsettledProvider(mistake: error), work)
    }
    return try await closing(provider) { provider throws(AuthError) in try await withSession(asking: provider, work) }
  }

  private func withSession<Value: Sendable>(
    asking backend: any Backend, refreshesAutomatically: Bool = false, logger: Logger = .silent,
    _ work: (Auth) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
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
      throw error.code == .nullUser ? noUser() ?? error : error
    }
    try await auth.close()
    return value
  }

  /// Why no user is signed in, if this home is not even there: its name is mistyped, or it was moved away.
  private func noUser() -> AuthError? {
    if let server {
      return AuthError(
        .nullUser, "no user is signed in at \(server.name); run: gate sign-in EMAIL --backend \(server.name)")
    }
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
    try await closing(try await backend(beginsProvider: beginsProvider, delivery: delivery), work)
  }

  private func closing<Value: Sendable>(
    _ backend: LocalBackend, _ work: (LocalBackend) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let result = await outcome { () throws(AuthError) in try await work(backend) }
    // A database that cannot be tidied up has lost nothing: the next program to open it does that.
    try? await backend.close()
    return try result.get()
  }
}

/// In place of a provider whose settings have a mistake.
private struct UnsettledProvider: Backend {
  let mistake: AuthError

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw mistake }
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
