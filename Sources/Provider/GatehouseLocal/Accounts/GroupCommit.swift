import GRDB
import GatehouseBase
import GatehouseQueues

/// Groups changes into one transaction, so that they share the wait for the disk at its end.
///
/// The first change leads: its thread makes all waiting changes, each in its own savepoint, and commits once. Changes
/// that arrive meanwhile form the next group, which one of them leads. `run` blocks the thread of its change; `begin`
/// blocks none. Leading blocks as well: for background threads only.
final class GroupCommit: Sendable {
  typealias Write = (_ changes: (Database) throws -> Void) throws -> Void

  /// A change, and the function that is told its outcome.
  private final class Change: Sendable {
    enum Turn: Sendable {
      /// The change leads the next group.
      case leads
      case made(Result<Void, AuthError>)
    }

    let make: @Sendable (Database) throws -> Void
    /// Called once with `made`, on any thread; must be quick. If an earlier leader passes the lead to this change,
    /// called once with `leads` before that.
    let call: @Sendable (Turn) -> Void

    init(_ make: @escaping @Sendable (Database) throws -> Void, call: @escaping @Sendable (Turn) -> Void) {
      self.make = make
      self.call = call
    }
  }

  private struct State: Sendable {
    var waiting: [Change] = []
    var isLed = false
  }

  private let state = Lock(State())

  /// Makes a change, which is on the disk when this returns. A change that throws has no effect, and does not affect
  /// the others.
  ///
  /// - Parameter write: runs a transaction.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value, writing write: Write
  ) throws(AuthError) -> Value {
    let value = Lock<Value?>(nil)
    let turn = Lock<Change.Turn?>(nil)
    let called = WatchedSemaphore(value: 0)
    let change = Change { db in
      let made = try work(db)
      value.withLock { $0 = made }
    } call: { next in
      turn.withLock { $0 = next }
      called.signal()
    }
    if !leads(change) { called.wait() }
    if case .made = turn.withLock({ $0 }) {
    } else {
      lead(write)
      // `lead` has also reported the outcome of this change.
      called.wait()
    }
    guard case .made(let result) = turn.withLock({ $0 }) else {
      throw AuthError(.internalError, "a change has no outcome")
    }
    try result.typed()
    guard let made = value.withLock({ $0 }) else { throw AuthError(.internalError, "a change has no outcome") }
    return made
  }

  /// Begins a change, and blocks no thread until it is made.
  ///
  /// - Parameters:
  ///   - background: the queue whose thread makes the group's changes, if this change leads.
  ///   - write: runs a transaction.
  ///   - end: called with the outcome, once, on the thread that made the change; must be quick.
  func begin<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value, on background: BackgroundQueue,
    writing write: @escaping @Sendable (_ changes: (Database) throws -> Void) throws -> Void,
    then end: @escaping @Sendable (Result<Value, AuthError>) -> Void
  ) {
    let value = Lock<Value?>(nil)
    let change = Change { db in
      let made = try work(db)
      value.withLock { $0 = made }
    } call: { [self] turn in
      switch turn {
      case .leads: background.async { self.lead(write) }
      case .made(.failure(let error)): end(.failure(error))
      case .made(.success):
        if let made = value.withLock({ $0 }) {
          end(.success(made))
        } else {
          end(.failure(AuthError(.internalError, "a change has no outcome")))
        }
      }
    }
    if leads(change) { background.async { self.lead(write) } }
  }

  /// Adds a change to the waiting ones. Returns whether it leads.
  private func leads(_ change: Change) -> Bool {
    state.withLock { state in
      state.waiting.append(change)
      defer { state.isLed = true }
      return !state.isLed
    }
  }

  /// Makes the waiting changes, passes the lead on, and reports the outcomes.
  private func lead(_ write: Write) {
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
    for (change, result) in zip(group, results) { change.call(.made(result)) }
  }
}
