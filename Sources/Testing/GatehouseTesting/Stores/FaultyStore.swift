public import Gatehouse
public import GatehouseBase
import GatehouseQueues

/// A store that fails or answers late on the test's command, and records its calls.
///
/// Each call is recorded first. It waits while its operation is held. It fails if a failure is scripted; otherwise the
/// wrapped store answers. Usable from any thread.
public final class FaultyStore: CredentialStore, UserShelf {
  /// The operations that can be controlled.
  public enum Operation: Sendable, Hashable {
    /// `load()` and `sessions()`.
    case load
    /// `write(_:if:)` and `replace(_:by:)`.
    case write
  }

  /// A recorded call.
  public enum Call: Sendable, Hashable {
    /// `load()`.
    case load
    /// `write(_:if:)`, with its arguments.
    case write(StoredSession?, if: StoreCondition)
    /// `sessions()`.
    case sessions
    /// `replace(_:by:)`, with its arguments.
    case replace(SessionShelf, by: SessionShelf)

    /// The operation that was called.
    public var operation: Operation {
      switch self {
      case .load, .sessions: .load
      case .write, .replace: .write
      }
    }
  }

  private struct Script {
    var failures: [AuthError] = []
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
  }
  private struct Watcher {
    let operation: Operation
    let count: Int
    let wake: CheckedContinuation<Void, Never>
  }
  private struct State {
    var calls: [Call] = []
    var scripts: [Operation: Script] = [:]
    var watchers: [Watcher] = []

    subscript(operation: Operation) -> Script {
      get { scripts[operation] ?? Script() }
      set { scripts[operation] = newValue }
    }

    /// Removes and returns the watchers whose number of held calls is reached.
    mutating func takeSatisfiedWatchers() -> [Watcher] {
      let all = watchers
      watchers = all.filter { self[$0.operation].held.count < $0.count }
      return all.filter { self[$0.operation].held.count >= $0.count }
    }
  }

  private let store: any CredentialStore
  private let state = Lock(State())

  /// Wraps a store.
  public init(_ store: any CredentialStore = .memory) { self.store = store }

  /// Every call so far, oldest first.
  public var calls: [Call] { state.withLock { $0.calls } }

  // MARK: Controlling calls

  /// Makes the next calls of an operation fail, this many times; failures that are already scripted come first.
  public func fail(_ operation: Operation, with error: AuthError, times: Int = 1) {
    state.withLock { $0[operation].failures += Array(repeating: error, count: max(times, 0)) }
  }

  /// Makes calls of an operation wait until `release`, even if they are cancelled, like a disk that hangs.
  public func hold(_ operation: Operation) { state.withLock { $0[operation].isHeld = true } }

  /// Releases the held calls of an operation, in order, and stops holding later ones.
  public func release(_ operation: Operation) {
    let held = state.withLock { state in
      defer { (state[operation].held, state[operation].isHeld) = ([], false) }
      return state[operation].held
    }
    for call in held { call.resume() }
  }

  /// Waits until at least this many calls of an operation are held.
  public func waitUntilHeld(_ operation: Operation, calls count: Int = 1) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let ready = state.withLock { state in
        state.watchers.append(Watcher(operation: operation, count: count, wake: continuation))
        return state.takeSatisfiedWatchers()
      }
      for watcher in ready { watcher.wake.resume() }
    }
  }

  // MARK: The store

  public func load() async throws(AuthError) -> StoredSession? {
    try await begin(.load)
    return try await store.load()
  }

  public func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await begin(.write(session, if: condition))
    return try await store.write(session, if: condition)
  }

  /// This store, if the wrapped store has a shelf.
  public var shelf: (any UserShelf)? { store.shelf == nil ? nil : self }

  public func sessions() async throws(AuthError) -> SessionShelf {
    try await begin(.sessions)
    guard let shelf = store.shelf else { return SessionShelf(current: try await store.load()) }
    return try await shelf.sessions()
  }

  public func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    try await begin(.replace(known, by: new))
    return try await store.shelf?.replace(known, by: new) ?? false
  }

  /// The wrapped store's lock; not scripted.
  public func lock() async throws(AuthError) -> (any StoreLock)? { try await store.lock() }

  public func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? {
    try await store.watch(changed)
  }

  private func begin(_ call: Call) async throws(AuthError) {
    let operation = call.operation
    state.withLock { $0.calls.append(call) }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let ready = state.withLock { state in
        guard state[operation].isHeld else { return [continuation] }
        state[operation].held.append(continuation)
        return state.takeSatisfiedWatchers().map(\.wake)
      }
      for waiter in ready { waiter.resume() }
    }
    let failure = state.withLock { state in
      state[operation].failures.isEmpty ? nil : state[operation].failures.removeFirst()
    }
    if let failure { throw failure }
  }
}
