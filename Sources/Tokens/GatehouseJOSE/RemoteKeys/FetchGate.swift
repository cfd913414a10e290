import GatehouseBase
import GatehouseQueues
import Synchronization

/// The state of the fetches that readers check without entering the work queue.
///
/// Times are written only on the work queue. A reader may see a slightly older state; the ledger decides. Tokens that
/// name unknown keys or have a false signature cost an attacker nothing, so they must not cost the work queue anything
/// either.
final class FetchGate: Sendable {
  private let underWay = Atomic<Bool>(false)
  private let isAheadAsked = Atomic<Bool>(false)
  private let pauseEnd = Atomic<UInt64>((-Double.infinity).bitPattern)
  private let lookupsBegin = Atomic<UInt64>((-Double.infinity).bitPattern)
  /// The reason of the last failure, read only for an error.
  private let failure = Lock<String?>(nil)
  private let misses = Atomic<Int>(0)

  /// The number of look-ups with an unknown key ID.
  var unknownKeyIDs: Int { misses.load(ordering: .relaxed) }

  // MARK: Readers, on any thread

  /// Rejects, as the ledger would, a fetch of keys during the pause after a failure.
  func checkRefresh(at now: ClockReading, _ times: FetchTimes) throws(AuthError) {
    guard !underWay.load(ordering: .acquiring) else { return }
    try FetchLedger.check(
      now, pauseEnd: Double(bitPattern: pauseEnd.load(ordering: .relaxed)), after: failure.withLock { $0 }, times)
  }

  /// Rejects, as the ledger would, a fetch for a token during the cooldown.
  func checkLookup(at now: ClockReading) throws(AuthError) {
    guard !underWay.load(ordering: .acquiring) else { return }
    guard now.boot >= Double(bitPattern: lookupsBegin.load(ordering: .relaxed)),
      now.boot >= Double(bitPattern: pauseEnd.load(ordering: .relaxed))
    else { throw .unknownKey }
  }

  /// Counts a look-up with an unknown key ID.
  func countUnknown() { misses.add(1, ordering: .relaxed) }

  /// Whether this reader should ask for a fetch ahead of time. Only one reader does, until that request is answered.
  func asksAhead(at now: ClockReading) -> Bool {
    guard !isAheadAsked.load(ordering: .relaxed), !underWay.load(ordering: .relaxed),
      now.boot >= Double(bitPattern: pauseEnd.load(ordering: .relaxed))
    else { return false }
    return isAheadAsked.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }

  /// Records that the request for a fetch ahead of time is answered.
  func answeredAhead() { isAheadAsked.store(false, ordering: .releasing) }

  // MARK: The ledger, on the work queue

  func publish(isUnderWay: Bool, _ ledger: FetchLedger) {
    let (pauseEnd, lookupsBegin, reason) = (ledger.pauseEnd, ledger.lookupsBegin, ledger.failure)
    failure.withLock { $0 = reason }
    self.pauseEnd.store(pauseEnd.bitPattern, ordering: .relaxed)
    self.lookupsBegin.store(lookupsBegin.bitPattern, ordering: .relaxed)
    underWay.store(isUnderWay, ordering: .releasing)
  }
}
