import GatehouseBase
import GatehouseQueues

// The provider has refused a session's tokens, and only a new sign-in helps. Another `Auth` on the same store may have
// better tokens, or may get them at any moment. The store's contents decide what happens to the session.
//
//     the store holds                                        then
//     another session, or none                               this one was ended elsewhere
//     the session, with other tokens                         take them: the refusal is not about those
//     the tokens that were refused, and the mark of a
//     change that may be in flight                           read again after a while, until it has ended
//     the tokens that were refused                           erase them; the session has then ended
//     nothing readable, or the erasure fails                 nothing is known: the session continues, the call fails
extension SessionKeeper {
  /// The time to wait before reading the store again, in seconds.
  static let lookAgain = 0.25

  /// The result of checking the store for a refused session.
  private enum Finding {
    /// The session has ended, or has other tokens now.
    case decided
    /// A change that revokes tokens may be in flight.
    case changing
  }

  /// Determines whether a session that was refused has ended.
  ///
  /// - Returns: Whether the session continues with other tokens.
  func outlives(_ session: UserSession, _ refusal: AuthError, of refused: SessionTokens) async -> Bool {
    while true {
      let found = await outcome { () throws(AuthError) in
        try await environment.wait(
          for: decide(on: session, refusal, of: refused), "the store's answer to a refusal",
          timeout: environment.timeouts.store)
      }
      switch found {
      case .success(.decided): return session.ending == nil && session.tokens != refused
      case .success(.changing):
        if await environment.time.rest(for: Self.lookAgain) { continue }
      case .failure(let error) where error.code == .cancelled: break
      case .failure(let error):
        environment.log(.warning, "the provider refused a session, and the store cannot be asked about it: \(error)")
      }
      return session.ending == nil && session.tokens != refused
    }
  }

  private func decide(
    on session: UserSession, _ refusal: AuthError, of refused: SessionTokens
  ) -> Promise<Finding, AuthError> {
    // If the user is disabled or deleted, no change brings better tokens.
    let mayChange = refusal.code.refusesToken
    return store.turn("refusal") { (turn) throws(AuthError) in
      self.meet(try await turn.load(), with: session)
      let now = try await self.environment.readClocks()
      guard session.isHeld(to: refused) else { return .decided }
      if mayChange, session.pendingRevocation?.isUnderWay(at: now) == true { return .changing }
      switch try await turn.write(nil, if: session.isUnchanged) {
      case .written: self.end(session, refusedWith: refusal)
      case .conflict(let stored): self.meet(stored, with: session)
      }
      return session.isHeld(to: refused) ? .changing : .decided
    }
  }

  /// Ends a session that the store no longer holds.
  private func end(_ session: UserSession, refusedWith error: AuthError) {
    guard state.session === session else { return }
    environment.log(.notice, "the session of \(session.uid) has ended: \(error.message)")
    settle(.signedOut(error), ending: error)
  }
}

extension UserSession {
  /// Whether the session is alive, and still has these tokens.
  fileprivate func isHeld(to refused: SessionTokens) -> Bool { ending == nil && tokens == refused }
}
