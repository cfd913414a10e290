import Gatehouse
import GatehouseBase
import GatehouseQueues

/// A store of several users with one flaw.
final class BrokenShelf: CredentialStore, UserShelf {
  enum Flaw: CaseIterable, Sendable {
    case noShelf, losesOthers, reversesOthers, takesTenantsForOne, keepsWhatIsCurrent, neverErases
    case ignoresWhatIsKnown, comparesTheCurrentOneOnly, comparesNoGenerations, refusesAll, comparesThenWrites
    case loadsAnother, erasesAllByAWrite
  }

  private let flaw: Flaw?
  private let stored = Lock(SessionShelf())
  private let compared = Lock(0)

  init(_ flaw: Flaw?) { self.flaw = flaw }

  var shelf: (any UserShelf)? { flaw == .noShelf ? nil : self }

  func load() async throws(AuthError) -> StoredSession? {
    stored.withLock { flaw == .loadsAnother ? $0.others.first ?? $0.current : $0.current }
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    stored.withLock { stored in
      let outcome = stored.write(session, if: condition)
      if flaw == .erasesAllByAWrite, session == nil, outcome == .written { stored = SessionShelf() }
      return outcome
    }
  }

  func sessions() async throws(AuthError) -> SessionShelf {
    let stored = stored.withLock { $0 }
    switch flaw {
    case .losesOthers: return SessionShelf(current: stored.current)
    case .reversesOthers: return SessionShelf(current: stored.current, others: stored.others.reversed())
    case .takesTenantsForOne:
      let others = stored.others.filter { $0.profile.uid != stored.current?.profile.uid }
      return SessionShelf(current: stored.current, others: others)
    default: return stored
    }
  }

  func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    let before = stored.withLock { $0 }
    guard flaw != .refusesAll, isAsKnown(before, known) else { return false }
    if flaw == .neverErases, new == SessionShelf() { return true }
    if flaw == .comparesThenWrites {
      let count = compared.withLock { count in
        count += 1
        return count
      }
      for _ in 0..<20_000 where compared.withLock({ $0 }) == count { await Task.yield() }
    }
    return stored.withLock { stored in
      guard flaw == .comparesThenWrites || stored == before else { return false }
      stored = new
      if flaw == .keepsWhatIsCurrent, new.current == nil {
        stored = SessionShelf(current: before.current, others: new.others)
      }
      return true
    }
  }

  private func isAsKnown(_ stored: SessionShelf, _ known: SessionShelf) -> Bool {
    switch flaw {
    case .ignoresWhatIsKnown: true
    case .comparesTheCurrentOneOnly: stored.current == known.current
    case .comparesNoGenerations:
      stored.current?.session == known.current?.session && stored.others.map(\.session) == known.others.map(\.session)
    default: stored == known
    }
  }
}
