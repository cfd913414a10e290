import GatehouseBase
import GatehouseQueues

// Changes of an account that revoke the session's tokens.
extension AccountChanges {
  /// Sends a change that revokes the session's tokens and brings new ones. The change takes its turn among the
  /// refreshes, and is marked in the store before it is sent. Without the turn, a refresh of this `Auth` would send the
  /// token that the change has just revoked. Without the mark, another `Auth` would mistake the refusal of that token
  /// for the end of the session.
  ///
  ///     the change                                  the mark
  ///     cannot be marked                            none: it is not sent, because its tokens could not be stored
  ///     brings tokens, or says it revoked none      removed, with the same write
  ///     was not sent, or was refused                removed
  ///     ends with an unknown outcome                stays until it expires: the change may have been made
  func alone(
    _ change: AccountChange, _ send: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens?
  ) async throws(AuthError) {
    let session = change.session
    let deadline = Deadline(environment.timeouts.call, on: environment.time)
    try await session.tokenQueue.run("change of tokens", deadline: deadline) { () throws(AuthError) in
      try await self.mark(change)
      let revocations = session.revocations
      let tokens: SessionTokens?
      do throws(AuthError) {
        try change.checkWanted()
        change.isSent = true
        tokens = try await send()
      } catch {
        if !change.isSent || error.code.isRefusal { self.unmark(change) }
        throw error
      }
      // A later change has already brought tokens. These came late, and the later change has most likely revoked them.
      guard session.revocations == revocations else { return try session.checkLive() }
      try self.take(tokens, from: change)
    }
  }

  /// Applies the outcome of a change. Tokens that come with a change replace a refresh token that the change has
  /// revoked.
  func take(_ tokens: SessionTokens?, from change: AccountChange) throws(AuthError) {
    let session = change.session
    if session.ending != nil, let tokens {
      if let mark = change.mark { session.withdraw(mark) }
      keeper.keepLate(tokens, revoking: true, of: session)
    }
    try session.checkLive()
    guard let tokens else { return unmark(change) }
    if let mark = change.mark { session.withdraw(mark) }
    session.revocations += 1
    session.unannounced = change
    change.stored = self.tokens.apply(tokens, to: session)
    // A lookup may outlive the change's deadline. `start`, because this operation holds the turn of the promise.
    WorkQueue.start("announce") {
      _ = await change.promise?.result()
      self.announce(change)
    }
  }

  /// Publishes the tokens that a change has brought, when the profile has come or the change has failed.
  func announce(_ change: AccountChange) {
    guard change.session.unannounced === change else { return }
    change.session.unannounced = nil
    keeper.announce()
  }

  /// Waits until the store has the tokens that a change has brought, because they may be the only valid ones. If the
  /// store fails, or takes too long, the change still counts: the failure is logged, and `flush()` tries again.
  func untilStored(_ change: AccountChange) async {
    guard let stored = change.stored else { return }
    _ = await outcome { () throws(AuthError) in
      try await environment.wait(for: stored, "the store", timeout: environment.timeouts.store)
    }
  }
}
