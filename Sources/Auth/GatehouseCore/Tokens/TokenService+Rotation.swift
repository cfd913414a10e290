import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// A refresh token that a refresh spends.
extension TokenService {
  /// Stores that the session's refresh token is about to be spent, if the provider rotates it. If it cannot be stored,
  /// the token must not be sent: the next one could not be stored either.
  ///
  /// A note counts only for the program that has stored it: the one that another program has left may be taken back by
  /// that program at any moment.
  ///
  /// - Returns: what was noted; `nil` if the token will not be spent. If the session has another rotation, another
  ///   program has stored the session since.
  func noteSpending(_ session: UserSession) async throws(AuthError) -> TokenRotation? {
    guard keeper.store.needsLock || session.rotation != nil else { return nil }
    let id = try await environment.read { $0.random.identifier() }
    let before = session.rotation
    let spending = TokenRotation(spending: try session.tokens.fingerprint() + "." + id)
    session.rotation = spending
    let stored = keeper.save(session)
    do throws(AuthError) {
      try await environment.wait(for: stored, "the store", timeout: environment.timeouts.store)
      try session.checkLive()
      if Task.isCancelled { throw .cancelled }
      return spending
    } catch {
      if session.rotation == spending { session.rotation = before }
      throw session.ending ?? error
    }
  }

  /// Sends a refresh token that was noted. Until all its requests have ended, no other request of the session is sent
  /// and the store's lock is kept: one that is late on its way must not reach the provider after the next token was
  /// used, because that ends the session.
  func spend(_ call: ExchangeRefreshToken, of session: UserSession) async throws(AuthError) -> SpendingRequests.Answer {
    let requests = SpendingRequests(call, environment)
    session.refreshes.spending = requests.end
    return try await requests.firstAnswer()
  }

  /// Ends the lease of a refresh that has one, when its requests that spend a token have ended.
  func endLease(of session: UserSession, _ refresh: Refresh) {
    guard refresh.hasLease else { return }
    refresh.hasLease = false
    guard let end = session.refreshes.spending, !end.isResolved else { return keeper.store.endLease() }
    WorkQueue.begin {
      _ = await end.result()
      self.keeper.store.endLease()
    }
  }

  /// Begins a refresh if the refresh token may be spent and no back-off is in force. The provider repeats a lost answer
  /// for a short time only, so this does not wait for the next call or the expiry of the ID token.
  ///
  /// - Parameter now: the clocks' reading; without it, any back-off counts.
  func settleSpending(of session: UserSession, now: ClockReading? = nil) {
    guard session.mayBeSpent, !admission.isClosing, session.ending == nil else { return }
    if let pause = session.refreshes.pause, now.map({ pause.error(at: $0) != nil }) ?? true { return }
    _ = refresh(session, .ifDue)
  }
}
