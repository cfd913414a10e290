import GatehouseBase
import GatehouseQueues

// Changes of what is stored, within a turn.
extension SessionStore {
  /// Stores the changes of a session where the session is: current, set aside, or replaced by a sign-in that may be
  /// undone. A session that is not stored has ended, and stays ended.
  func put(_ session: UserSession) async throws(AuthError) {
    let result = await outcome { () throws(AuthError) in
      let (saved, current) = try await change(isQuick: true) { shelf in
        let new = self.latest(session, in: shelf)
        if let new { shelf.save(new) }
        return (new, shelf.current)
      }
      if let saved { session.known = saved }
      if current?.session.isExactly(session.id) != true { meet?(current, session) }
    }
    switch result {
    case .success:
      unsaved.removeAll { $0 === session }
      try await unlockIfIdle()
    case .failure(let error):
      unsaved.removeAll { $0.name.isOfSameUser(as: session.name) }
      unsaved.append(session)
      throw error
    }
  }

  /// Merges the stored version of a session, and returns the version to store; `nil` if there is nothing to store.
  private func latest(_ session: UserSession, in shelf: SessionShelf) -> StoredSession? {
    guard let stored = shelf.version(of: session.id) ?? shelf.replacedVersion(of: session.id) else { return nil }
    meet?(stored, session)
    guard let new = session.unsaved else { return nil }
    session.willStore(new)
    return new
  }

  /// Changes which session is current: by a sign-in or a switch.
  ///
  ///     the store                `accept`        then
  ///     has written              returns         the change is done
  ///     has written              throws          it is undone, at once
  ///     throws                                   the same: it may have written
  ///     cannot be read                           nothing is written, because it could not be restored; but a sign-in
  ///                                              replaces damaged contents
  ///
  /// Changes of a session that could not be saved are saved first, while that session can still be found.
  ///
  /// - Parameters:
  ///   - replacesDamaged: whether damaged contents are replaced.
  ///   - accept: called within the turn, when the change is stored. It decides whether the change stands.
  func replace<Value>(
    replacesDamaged: Bool, _ body: @WorkQueue (inout SessionShelf) throws(AuthError) -> Value,
    _ accept: @WorkQueue (Value) throws(AuthError) -> Void
  ) async throws(AuthError) {
    do throws(AuthError) {
      let value: Value
      do throws(AuthError) {
        for session in unsaved { try await put(session) }
        value = try await change(isUndoable: true, body)
      } catch {
        guard replacesDamaged, error.code == .storeDamaged else { throw error }
        value = try await overwrite(body)
      }
      try accept(value)
      owed.undoing = nil
    } catch {
      if owed.undoing != nil { try? await settle() }  // if this fails, the undoing is owed
      throw error
    }
  }

  /// Applies a change to an empty shelf, which replaces damaged contents.
  private func overwrite<Value>(
    _ body: @WorkQueue (inout SessionShelf) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    var shelf = SessionShelf()
    let value = try body(&shelf)
    owed = OwedWrites(undoing: OwedWrites.Undoing(before: SessionShelf(), after: shelf))
    try await replaceAll(by: shelf.current)
    return value
  }

  /// Changes what is stored, after everything that is owed.
  ///
  /// - Parameters:
  ///   - isQuick: whether to try without reading the store first.
  ///   - isUndoable: whether the change is owed an undoing until it is accepted.
  ///   - body: makes the change. Called again after each conflict.
  func change<Value>(
    isQuick: Bool = false, isUndoable: Bool = false, _ body: @WorkQueue (inout SessionShelf) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await settle()
    return try await compareAndWrite(isQuick: isQuick, isUndoable: isUndoable, body)
  }

  /// Carries out everything that is owed. Afterwards the store holds the right sessions.
  func settle() async throws(AuthError) {
    if !isAdmitted { try await findLock() }
    while !owed.isEmpty {
      let due = owed
      do throws(AuthError) {
        try await compareAndWrite(isQuick: !due.erasesCurrent, isUndoable: false) { _ in }
      } catch {
        // The user signed out and wants nothing of it kept.
        guard error.code == .storeDamaged, due.erasesCurrent else { throw error }
        try await replaceAll(by: nil)
        owed.remove(due)
      }
    }
  }

  /// The maximum number of conflicts before a write gives up.
  nonisolated static let maximumConflicts = 16

  private func compareAndWrite<Value>(
    isQuick: Bool, isUndoable: Bool, _ body: @WorkQueue (inout SessionShelf) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    var isCertain = !isQuick
    var seen = isQuick ? lastSeen : nil
    for _ in 0..<Self.maximumConflicts {
      let stored: SessionShelf
      if let seen { stored = seen } else { (stored, isCertain) = (try await read(), true) }
      let due = owed
      let before = due.carriedOut(on: stored)
      var after = before
      let value = try body(&after)
      if !keepsUsers { after = SessionShelf(current: after.current) }
      if after == stored, !isInDoubt {
        if isCertain {
          owed.remove(due)
          return value
        }
        seen = nil
        continue
      }
      if isUndoable { owed.undoing = OwedWrites.Undoing(before: before, after: after) }
      if try await write(after, over: stored) {
        owed.remove(due)
        return value
      }
      if isUndoable { owed.undoing = nil }
      (seen, isCertain) = (lastSeen, true)
    }
    throw .isChangedEachTime
  }
}
