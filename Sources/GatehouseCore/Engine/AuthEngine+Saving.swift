import GatehouseBase
import GatehouseQueues

extension AuthEngine {
  /// Notes a change of a session and puts it in the store's queue.
  ///
  /// A store that fails does not take a good token from those who wait for it: the failure is logged, and `flush()`
  /// tries again and throws. When the store holds another session, this one was ended elsewhere.
  func save(_ session: UserSession) {
    session.generation &+= 1  // what a file says may be the largest number there is
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
  /// - Returns: whether the session goes on.
  @discardableResult
  func meet(_ stored: StoredSession?, with session: UserSession) -> Bool {
    guard session.ending == nil else { return false }
    guard let stored, stored.session.isExactly(session.id) else {
      let why = stored == nil ? "another process signed this user out" : "another process signed a user in"
      end(session, because: .sessionEnded(why), erasing: false)
      return false
    }
    guard stored.generation > session.generation else { return true }
    session.generation = stored.generation
    session.tokens = stored.tokens
    session.profile = stored.profile
    announce()
    scheduleAutoRefresh()
    return true
  }
}
