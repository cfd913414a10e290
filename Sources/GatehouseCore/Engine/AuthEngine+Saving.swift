import GatehouseBase
import GatehouseQueues

extension AuthEngine {
  /// Notes a change of a session and puts it in the store's queue.
  ///
  /// A store that fails does not take a good token from those who wait for it: the failure is logged, and `flush()`
  /// tries again and throws. When the store holds another session, this one was ended elsewhere.
  func save(_ session: UserSession) {
    session.generation += 1
    announce()
    let saved = session.stored
    let promise = store.write(saved, if: .sessionBefore(saved.session, generation: saved.generation))
    WorkQueue.start("save") {
      switch await outcome(of: { () throws(AuthError) in try await promise.value() }) {
      case .success(.written): break
      case .success(.conflict(let stored)): self.meet(stored, with: session)
      case .failure(let error): self.log(.error, "the session could not be stored: \(error)")
      }
    }
  }

  /// Compares a session with what the store holds, which another process may have written.
  ///
  ///     the store holds                          then
  ///     another session, or none                 this one was ended elsewhere
  ///     a sign-in of ours that is not settled    nothing is known yet
  ///     the same session, later tokens           take all of it
  ///     the same session, earlier tokens, but
  ///     of this generation or a later one        both have changed it: its profile, our tokens; store them
  ///     the same session, an earlier generation  ours is on its way
  func meet(_ stored: StoredSession?, with session: UserSession) {
    guard session.ending == nil else { return }
    guard let stored, stored.session.isExactly(session.id) else {
      if let stored, unsettled.contains(stored.session) { return }
      let why = stored == nil ? "another process signed this user out" : "another process signed a user in"
      settle(.signedOut(.sessionEnded(why)), ending: .sessionEnded(why))
      return
    }
    guard stored != session.stored, stored.generation >= session.generation else { return }
    let oursAreLater = session.tokens.came(after: stored.tokens)
    session.generation = stored.generation
    session.profile = stored.profile
    if oursAreLater {
      save(session)
    } else {
      session.tokens = stored.tokens
      announce()
      scheduleAutoRefresh()
    }
  }
}

extension SessionTokens {
  /// Whether these tokens came after others, which may have come to another process of this machine.
  func came(after others: SessionTokens) -> Bool {
    guard received.bootID == others.received.bootID else { return received.wall > others.received.wall }
    return received.boot > others.received.boot
  }
}
