import Gatehouse
import GatehouseBase
import GatehouseQueues

/// A store that breaks the contract in one way: the contract suite must notice.
final class BrokenStore: CredentialStore {
  enum Flaw: String, CaseIterable, Sendable {
    case beginsWithASession, losesGeneration, dropsEmptyText, setsWhatWasNot, roundsBigNumbers, cutsLongTokens
    case keepsTheFirstSignIn, neverErases, failsToEraseNothing
    case ignoresConditions, endsOnlyTheFirstGeneration, endsAnySession, writesAfterTheEnd, wantsTheNextGeneration
    case replacesEqualGenerations, changesAnySession, comparesText, hidesTheConflict, comparesThenWrites
    case locksForAll, locksForItselfOnly, readsNothingUnderItsLock
    case forgetsOnOpening, forgetsErasure, takesDamageForNothing, deletesDamage, claimsToReplaceDamage
  }

  /// What the store keeps things in, and what outlives it.
  final class Disk: Sendable {
    struct Contents: Sendable {
      var session: StoredSession?
      var isDamaged = false
      /// How many comparisons were made: a store that is not atomic lets others compare before it writes.
      var compared = 0
      var isLocked = false
    }
    let contents = Lock(Contents())

    func damage() { contents.withLock { $0.isDamaged = true } }
  }

  private let flaw: Flaw?
  private let disk: Disk
  /// Of a store that remembers an erasure only as long as it lives.
  private let isErased = Lock(false)
  /// Of a store that keeps its lock in itself.
  private let isLocked = Lock(false)

  init(_ flaw: Flaw?, on disk: Disk = Disk()) {
    self.flaw = flaw
    self.disk = flaw == .forgetsOnOpening ? Disk() : disk
    if flaw == .beginsWithASession { self.disk.contents.withLock { $0.session = .sample() } }
  }

  func lock() async throws(AuthError) -> (any StoreLock)? {
    let wasLocked =
      switch flaw {
      case .locksForAll: false
      case .locksForItselfOnly: isLocked.withLock { Self.take(&$0) }
      default: disk.contents.withLock { Self.take(&$0.isLocked) }
      }
    if wasLocked { throw AuthError(.storeInUse, "in use") }
    let once = TakeOnce(())
    return Release { [isLocked, disk, flaw] in
      guard once.take() != nil else { return }
      if flaw == .locksForItselfOnly { return isLocked.withLock { $0 = false } }
      disk.contents.withLock { $0.isLocked = false }
    }
  }

  private static func take(_ isLocked: inout Bool) -> Bool {
    defer { isLocked = true }
    return isLocked
  }

  private struct Release: StoreLock {
    let body: @Sendable () -> Void
    func release() { body() }
  }

  func load() async throws(AuthError) -> StoredSession? {
    let contents = disk.contents.withLock { $0 }
    if contents.isDamaged {
      if flaw == .takesDamageForNothing { return nil }
      if flaw == .deletesDamage { disk.contents.withLock { $0 = Disk.Contents() } }
      throw AuthError(.storeDamaged, "damaged")
    }
    if contents.isLocked, flaw == .readsNothingUnderItsLock { return nil }
    guard var session = contents.session, !isErased.withLock({ $0 }) else { return nil }
    switch flaw {
    case .losesGeneration: session.generation = 0
    case .dropsEmptyText: if session.profile.tenantID == "" { session.profile.tenantID = nil }
    case .setsWhatWasNot: session.profile.email = session.profile.email ?? ""
    case .roundsBigNumbers: session.generation = min(session.generation, 1 << 53)
    case .cutsLongTokens: session.tokens.idToken = Secret(String(session.tokens.idToken.revealed.prefix(4096)))
    default: break
    }
    return session
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    let before = disk.contents.withLock { contents in
      contents.compared += 1
      return contents
    }
    let stored = before.session
    if before.isDamaged, flaw != .takesDamageForNothing {
      guard condition == .always else { throw AuthError(.storeDamaged, "damaged") }
      if flaw == .claimsToReplaceDamage { return .written }
    }
    if flaw == .keepsTheFirstSignIn, session != nil, stored != nil, condition == .always { return .conflict(stored) }
    if flaw == .failsToEraseNothing, session == nil, stored == nil { throw AuthError(.storeFailed, "nothing there") }
    guard holds(condition, of: stored) else { return .conflict(flaw == .hidesTheConflict ? nil : stored) }
    if flaw == .comparesThenWrites {
      for _ in 0..<1000 where disk.contents.withLock({ $0.compared }) == before.compared { await Task.yield() }
    }
    if session == nil, flaw == .neverErases { return .written }
    if flaw == .forgetsErasure { isErased.withLock { $0 = session == nil } }
    if session == nil, flaw == .forgetsErasure { return .written }
    let isAsItWas = disk.contents.withLock { contents in
      guard flaw == .comparesThenWrites || contents.session == stored else { return false }
      contents.session = session
      contents.isDamaged = false
      return true
    }
    return isAsItWas ? .written : try await write(session, if: condition)
  }

  private func holds(_ condition: StoreCondition, of stored: StoredSession?) -> Bool {
    switch (flaw, condition) {
    case (.ignoresConditions, _): return true
    case (.endsOnlyTheFirstGeneration, .session): if stored?.generation != 1 { return false }
    case (.endsAnySession, .session): return stored != nil
    case (.writesAfterTheEnd, .sessionBefore): if stored == nil { return true }
    case (.wantsTheNextGeneration, .sessionBefore(_, let generation)):
      if let stored, stored.generation + 1 != generation { return false }
    case (.replacesEqualGenerations, .sessionBefore(let id, let generation)):
      return stored.map { $0.session == id && $0.generation <= generation } ?? false
    case (.changesAnySession, .sessionBefore(_, let generation)):
      return stored.map { $0.generation < generation } ?? false
    case (.comparesText, .session(let id)): return stored?.session == id
    default: break
    }
    return condition.holds(of: stored)
  }
}
