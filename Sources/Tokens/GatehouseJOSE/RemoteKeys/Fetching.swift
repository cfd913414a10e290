import GatehouseBase
import GatehouseQueues

/// The fetch under way, the callers that wait for it, and the ledger that decides when the next may begin.
///
/// It holds no object of the user's: the transport and the clocks must not be released on the work queue.
@WorkQueue
final class Fetching {
  typealias Outcome = Promise<KeySnapshot, QueueFailure<AuthError>>

  /// What a caller waits for.
  struct Turn: Sendable {
    let outcome: Outcome
    /// The number of the fetch that must be carried out for this caller; `nil` if it is under way, or was not needed.
    let begins: UInt64?
  }

  private(set) var ledger: FetchLedger
  private var underWay: (number: UInt64, outcome: Outcome)?
  private var begun: UInt64 = 0
  private var deadline: Alarms.Handle?
  private nonisolated let shelf: KeyShelf
  private nonisolated let gate: FetchGate

  nonisolated init(_ times: FetchTimes, _ shelf: KeyShelf, _ gate: FetchGate) {
    ledger = FetchLedger(times)
    self.shelf = shelf
    self.gate = gate
  }

  /// Joins the fetch under way. If there is none, takes what one that has just ended brought, or begins one, unless the
  /// ledger refuses.
  ///
  /// - Parameter fetched: the keys that serve the caller as well as a fetch would.
  func join(
    at now: ClockReading, orTake fetched: (KeyShelf) -> KeySnapshot?,
    unless refusal: (FetchLedger) throws(AuthError) -> Void
  ) throws(AuthError) -> Turn {
    // A caller that was cancelled before its turn begins nothing.
    guard !Task.isCancelled else { throw .cancelled }
    if let underWay { return Turn(outcome: underWay.outcome, begins: nil) }
    // The caller looked before its turn: a fetch may have ended since.
    if let snapshot = fetched(shelf) {
      let outcome = Outcome()
      outcome.resolve(.success(snapshot))
      return Turn(outcome: outcome, begins: nil)
    }
    try refusal(ledger)
    let fetch = begin(at: now)
    return Turn(outcome: fetch.outcome, begins: fetch.number)
  }

  /// Begins a fetch that no caller waits for, if none is under way and none has just failed.
  func beginAhead(at now: ClockReading) -> UInt64? {
    guard underWay == nil, (try? ledger.checkRefresh(at: now)) != nil else { return nil }
    return begin(at: now).number
  }

  private func begin(at now: ClockReading) -> (number: UInt64, outcome: Outcome) {
    ledger.noteBegin(at: now)
    begun += 1
    let fetch = (number: begun, outcome: Outcome())
    underWay = fetch
    publish()
    return fetch
  }

  /// Keeps the alarm of the fetch under way, or cancels it if that fetch has ended.
  func keep(_ alarm: Alarms.Handle, of number: UInt64) {
    guard underWay?.number == number else { return alarm.cancel() }
    deadline = alarm
  }

  /// Ends a fetch, unless it has ended: keeps what it brought, and resumes those who waited. A late result is dropped.
  func end(_ number: UInt64, at now: ClockReading, _ result: Result<FetchedKeys.Kept, AuthError>) {
    guard let fetch = underWay, fetch.number == number else { return }
    switch result {
    case .success(let kept):
      shelf.keep(kept)
      ledger.noteSuccess()
    case .failure(let error): ledger.noteFailure(error, at: now)
    }
    underWay = nil
    deadline?.cancel()
    deadline = nil
    publish()
    fetch.outcome.resolve(result.map(\.snapshot).mapError { .work($0) })
  }

  private func publish() {
    gate.publish(isUnderWay: underWay != nil, pauseEnd: ledger.pauseEnd, lookupsBegin: ledger.lookupsBegin)
  }
}
