import Gatehouse
import GatehouseBase
import GatehouseQueues

/// A store of several users with one flaw.
final class BrokenShelf: CredentialStore, UserShelf {
  enum Flaw: CaseIterable, Sendable {
    case noShelf, setsNothingAside, setsOldTokensAside, listsTheCurrentUser, takesTenantsForOne, forgetsTheCurrentOne
    case exchangesForNone, endsAll, endsTheCurrentOneOnly, keepsAnUndoneSignIn, losesByAnUndoneSignIn
  }

  private let flaw: Flaw?
  private let stored = Lock(SessionShelf())

  init(_ flaw: Flaw?) { self.flaw = flaw }

  var shelf: (any UserShelf)? { flaw == .noShelf ? nil : self }

  func load() async throws(AuthError) -> StoredSession? { stored.withLock { $0.current } }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    stored.withLock { shelf in
      let (before, kept) = (shelf.current, shelf.kept)
      if flaw == .endsTheCurrentOneOnly, session == nil, !condition.holds(of: before) { return .conflict(before) }
      let outcome = shelf.write(session, if: condition, keepsUsers: flaw != .setsNothingAside)
      switch flaw {
      case .setsOldTokensAside where shelf.kept.count > kept.count:
        var old = shelf.kept[0]
        old.generation = 1
        shelf = SessionShelf(current: shelf.current, kept: [old] + kept)
      case .takesTenantsForOne where before?.profile.uid == session?.profile.uid:
        shelf = SessionShelf(current: shelf.current, kept: kept)
      case .endsAll where session == nil: shelf = SessionShelf()
      case .keepsAnUndoneSignIn where session != nil && condition != .always:
        if let before { shelf = SessionShelf(current: shelf.current, kept: [before] + shelf.kept) }
      case .losesByAnUndoneSignIn where condition == .always:
        shelf = SessionShelf(
          current: shelf.current, kept: shelf.kept.filter { $0.profile.uid != session?.profile.uid })
      default: break
      }
      return outcome
    }
  }

  func others() async throws(AuthError) -> [StoredSession] {
    stored.withLock { flaw == .listsTheCurrentUser ? $0.kept + [$0.current].compactMap(\.self) : $0.others }
  }

  func exchange(for session: String?) async throws(AuthError) -> StoreOutcome {
    stored.withLock { shelf in
      let before = shelf
      let outcome = shelf.exchange(for: session)
      if flaw == .forgetsTheCurrentOne {
        shelf = SessionShelf(current: shelf.current, kept: before.kept.filter { $0 != shelf.current })
      }
      if flaw == .exchangesForNone, outcome != .written {
        shelf = SessionShelf(kept: before.kept)
        return .written
      }
      return outcome
    }
  }
}
