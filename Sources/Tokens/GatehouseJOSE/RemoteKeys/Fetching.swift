import GatehouseBase
import GatehouseQueues

/// The running fetch, the callers that wait for it, and the ledger that decides when the next one may begin.
///
/// It holds none of the user's objects: the transport and the clocks must not be released on the work queue.
@WorkQueue
final class Fetching {
  typealias Outcome = Promise<KeySnapshot, QueueFailure<AuthError>>

  /// The result that a caller waits for.
  struct Turn: Sendable {
    let outcome: Outcome
    /// The number of the fetch that must be performed for this caller; `nil` if it is running already, or is not
    /// needed.
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

  /// Joins the running fetch. If there is none, uses the result of one that has just ended, or begins one, unless the
  /// ledger refuses.
  ///
  /// - Parameter fetched: returns keys that serve the caller as well as a fetch would.
  func join(
    at now: ClockReading, orTake fetched: (KeyShelf) -> KeySnapshot?,
    unless refusal: (FetchLedger) throws(AuthError) -> Void
  ) throws(AuthError) -> Turn {
    // A caller that was cancelled before its turn begins nothing.
    guard !Task.isCancelled else { throw .cancelled }
    if let underWay { return Turn(outcome: underWay.outcome, begins: nil) }
    // The caller checked before its turn: a fetch may have ended since.
    if let snapshot = fetched(shelf) {
      let outcome = Outcome()
      outcome.resolve(.success(snapshot))
      return Turn(outcome: outcome, begins: nil)
    }
    try refusal(ledger)
    let fetch = begin(at: now)
    return Turn(outcome: fetch.outcome, begins: fetch.number)
  }

  /// Begins a fetch without a waiting caller, if none is running and none has just failed.
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

  /// Keeps the alarm of the running fetch, or cancels the alarm if that fetch has ended.
  func keep(_ alarm: Alarms.Handle, of number: UInt64) {
    guard underWay?.number == number else { return alarm.cancel() }
    deadline = alarm
  }

  /// Ends a fetch, unless it has ended: keeps its keys, and resumes the waiting callers. A late result is dropped.
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
    gate.publish(isUnderWay: underWay != nil, ledger)
  }
}
