import GatehouseBase
import GatehouseQueues

extension AuthEngine {
  /// Announces a change of a session, and enqueues its save. The promise resolves when the store has it.
  ///
  /// A store that fails does not take a good token from those who wait for it: the failure is logged, and `flush()`
  /// tries again and throws.
  @discardableResult
  func save(_ session: UserSession) -> Promise<Void, AuthError> {
    announce()
    return store.save(session) { result in
      switch result {
      case .success(.written): break
      case .success(.conflict(let stored)): self.meet(stored, with: session)
      case .failure(let error): self.log(.error, "the session could not be stored: \(error)")
      }
    }
  }

  /// Compares a session with what the store holds, which another process may have written. Called within the turn of
  /// the store that told, so that nothing comes between.
  ///
  ///     the store holds              then
  ///     another session, or none     this session has ended elsewhere
  ///     the same session             the two versions are merged
  func meet(_ stored: StoredSession?, with session: UserSession) {
    guard let stored, stored.session.isExactly(session.id) else {
      guard state.session === session else { return }
      let why = stored == nil ? "another process signed this user out" : "another process signed a user in"
      return settle(.signedOut(.sessionEnded(why)), ending: .sessionEnded(why))
    }
    let (hasChanged, mustAsk) = session.merge(stored)
    if mustAsk { askAgain(session) }
    guard hasChanged else { return }
    announce()
    scheduleAutoRefresh()
  }

  /// Asks the provider for the profile, because two `Auth`s have different answers and the clocks do not tell which is
  /// the newer one.
  private func askAgain(_ session: UserSession) {
    WorkQueue.start("ask again") {
      let result = await outcome { () throws(AuthError) in try await self.reloadInternal(session, timeout: nil) }
      if case .failure(let error) = result { self.log(.warning, "the profile could not be asked for again: \(error)") }
    }
  }
}
