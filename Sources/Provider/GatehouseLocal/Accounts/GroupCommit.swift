import GRDB
import GatehouseBase
import GatehouseQueues

/// Changes that share a transaction, and so the wait for the disk at its end.
///
/// The first thread that comes leads: it makes the changes of all that wait then, each in a savepoint of its own, and
/// commits once. Those that come meanwhile are the next group, which one of them leads. Blocks its callers: for
/// background threads only.
final class GroupCommit: Sendable {
  /// A change, and what becomes of it.
  private final class Change: Sendable {
    enum Turn: Sendable {
      case waits
      /// It leads the next group.
      case leads
      case made(Result<Void, AuthError>)
    }

    let make: @Sendable (Database) throws -> Void
    let turn = Lock(Turn.waits)
    let called = WatchedSemaphore(value: 0)

    init(_ make: @escaping @Sendable (Database) throws -> Void) { self.make = make }

    func call(_ next: Turn) {
      turn.withLock { $0 = next }
      called.signal()
    }
  }

  private struct State: Sendable {
    var waiting: [Change] = []
    var isLed = false
  }

  private let state = Lock(State())

  /// Makes a change; it is on the disk when this returns. One that throws changes nothing, and disturbs no other one.
  ///
  /// - Parameter write: runs a transaction.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value, writing write: ((Database) throws -> Void) throws -> Void
  ) throws(AuthError) -> Value {
    let value = Lock<Value?>(nil)
    let change = Change { db in
      let made = try work(db)
      value.withLock { $0 = made }
    }
    let leads = state.withLock { state in
      state.waiting.append(change)
      defer { state.isLed = true }
      return !state.isLed
    }
    if !leads { change.called.wait() }
    if case .made(let result) = change.turn.withLock({ $0 }) {
      try result.get()
    } else {
      try lead(change, write)
    }
    guard let made = value.withLock({ $0 }) else { throw AuthError(.internalError, "a change has no outcome") }
    return made
  }

  /// Makes the changes that wait, with this thread's own among them, and hands the lead on.
  private func lead(_ own: Change, _ write: ((Database) throws -> Void) throws -> Void) throws(AuthError) {
    let group = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    var results: [Result<Void, AuthError>] = []
    let committed = Result { () throws(AuthError) in
      try refusingDatabaseErrors {
        try write { db in
          results = group.map { change in
            Result { () throws(AuthError) in
              try refusingDatabaseErrors {
                try db.inSavepoint {
                  try change.make(db)
                  return .commit
                }
              }
            }
          }
        }
      }
    }
    if case .failure = committed { results = group.map { _ in committed } }
    let next: Change? = state.withLock { state in
      guard let first = state.waiting.first else {
        state.isLed = false
        return nil
      }
      return first
    }
    next?.call(.leads)
    var ownResult = committed
    for (change, result) in zip(group, results) {
      if change === own { ownResult = result } else { change.call(.made(result)) }
    }
    try ownResult.get()
  }
}
