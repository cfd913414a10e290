import GatehouseBase
import GatehouseQueues

extension AuthEngine {
  /// Notes a change of a session and puts it in the store's queue. The promise comes when the store has it.
  ///
  /// A store that fails does not take a good token from those who wait for it: the failure is logged, and `flush()`
  /// tries again and throws. When the store holds another session, this one was ended elsewhere.
  @discardableResult
  func save(_ session: UserSession) -> Promise<Void> {
    session.generation += 1
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
  ///     the store holds                               then
  ///     another session, or none                      this one was ended elsewhere
  ///     the same session, an earlier generation       ours is on its way
  ///     the same session, this generation or later    take the better tokens of the two, and the profile that was
  ///                                                   changed; store what the store then lacks
  ///
  /// Tokens are better when they come from more revoking changes, for those revoked the others; of as many, when they
  /// came later.
  func meet(_ stored: StoredSession?, with session: UserSession) {
    guard state.session === session else { return }
    guard let stored, stored.session.isExactly(session.id) else {
      let why = stored == nil ? "another process signed this user out" : "another process signed a user in"
      return settle(.signedOut(.sessionEnded(why)), ending: .sessionEnded(why))
    }
    guard stored != session.stored, stored.generation >= session.generation else { return }
    session.generation = stored.generation
    if stored.profile != session.storedProfile { session.profile = stored.profile }
    session.storedProfile = stored.profile
    if session.stored.hasBetterTokens(than: stored) {
      if session.revocations == stored.revocations { session.pendingRevocation = stored.pendingRevocation }
    } else {
      session.adoptTokens(of: stored)
    }
    guard session.stored != stored else {
      announce()
      return scheduleAutoRefresh()
    }
    save(session)
  }
}

extension UserSession {
  /// Takes tokens that another process has bought: what failed before says nothing of them.
  fileprivate func adoptTokens(of stored: StoredSession) {
    if tokens != stored.tokens {
      refreshes.failures = 0
      refreshes.pause = nil
    }
    tokens = stored.tokens
    revocations = stored.revocations
    pendingRevocation = stored.pendingRevocation
  }
}

extension StoredSession {
  /// Whether these tokens are to be kept, of two that a session has.
  fileprivate func hasBetterTokens(than other: StoredSession) -> Bool {
    guard revocations == other.revocations else { return revocations > other.revocations }
    return tokens.came(after: other.tokens)
  }
}

extension SessionTokens {
  /// Whether these tokens came after others, which may have come to another process of this machine.
  func came(after others: SessionTokens) -> Bool {
    guard received.bootID == others.received.bootID else { return received.wall > others.received.wall }
    return received.boot > others.received.boot
  }
}
