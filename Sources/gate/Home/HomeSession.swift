import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseREST
import GatehouseSystem
import IdentityToolkit
import Logging

extension Home {
  /// Runs a command's work with the session that this home keeps.
  ///
  /// The session belongs to the server that the home names, or else to the home's own provider. Only a sign-up creates
  /// a provider. When this returns, everything is on the disk: what could not be stored is an error, even if the work
  /// itself has succeeded.
  func withSession<Value: Sendable>(
    beginsProvider: Bool = false, refreshesAutomatically: Bool = false, logger: Logger = .silent,
    delivery: (any MessageDelivery)? = nil, _ work: (Auth) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    if let server {
      let known = knownDevice()
      let backend = server.asBackend(device: known)
      defer { keep(backend.device, inPlaceOf: known) }
      return try await withSession(
        asking: backend, refreshesAutomatically: refreshesAutomatically, logger: logger, work)
    }
    return try await withProvider(beginsProvider: beginsProvider, delivery: delivery) { (provider) throws(AuthError) in
      try await withSession(
        asking: provider, refreshesAutomatically: refreshesAutomatically, logger: logger, work)
    }
  }

  /// Does the same as `withSession`, for work that may not need a provider: a mistake in the provider's settings is
  /// reported by its first call.
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
    var timeouts = Auth.Timeouts()
    // The home's own provider works in this process: only a busy machine makes it slow, and the user can interrupt it.
    if server == nil { timeouts.call = .seconds(600) }
    let auth = Auth(
      Auth.Configuration(
        backend: backend, store: await sessionStore(), logger: logger, timeouts: timeouts,
        refreshesAutomatically: refreshesAutomatically,
        // A watch handles a sign-in by another program itself: it never hands out another user's token.
        followsStore: false))
    let value: Value
    do throws(AuthError) {
      value = try await work(auth)
    } catch {
      try? await auth.close()  // the first error is the one to report
      throw error.code == .nullUser ? noUser() ?? error : error
    }
    try await typed { try await auth.close() }
    return value
  }

  /// The session's store. If it has the sessions of other users, a sign-in keeps the one that it replaces as well.
  private func sessionStore() async -> FileCredentialStore {
    guard !keepsUsers else { return store }
    let keeping = keepingUsers().store
    // A store that cannot be read is reported by the first call.
    guard let shelf = try? await keeping.sessions(), !shelf.others.isEmpty else { return store }
    return keeping
  }

  /// Returns why no user is signed in, if the home does not exist: its name may be mistyped, or it was moved away.
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

  /// Runs a command's work with the home's provider, and then closes the provider, so that a copy of its folder is
  /// complete.
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
    // A database that cannot be cleaned up has lost nothing: the next program that opens it does this.
    try? await backend.close()
    return try result.typed()
  }
}

/// Stands for a provider whose settings have a mistake.
private struct UnsettledProvider: Backend {
  let mistake: AuthError

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw mistake }
}

extension Auth {
  /// Returns the signed-in user, and throws if there is none.
  func requireUser() async throws(AuthError) -> User {
    try await typed { try await ready() }
    guard let user = currentUser else {
      throw AuthError(.nullUser, "no user is signed in; run: gate sign-in EMAIL")
    }
    return user
  }

  /// Waits until the session is restored, before a sign-in. The sign-in may replace a damaged session, but no other
  /// session that cannot be read: whatever is wrong with the folder is reported before an account is made.
  func readyForSignIn() async throws(AuthError) {
    do throws(AuthError) { try await typed { try await ready() } } catch  where error.code == .storeDamaged {}
  }
}

extension Logger {
  /// A logger for commands that print one error at the end; the log would print it a second time.
  static var silent: Logger { Logger(label: "gate") { _ in SwiftLogNoOpLogHandler() } }
}
