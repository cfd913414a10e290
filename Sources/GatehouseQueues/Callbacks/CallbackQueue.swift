import CGatehouseWaits
public import Dispatch

/// Where the caller's closures run, one at a time and in order: the main queue, or another that the app chose.
///
/// On another queue deliveries go through a serial child of it, so that order holds on a concurrent one too.
/// Closures are also released here: what they captured may have a `deinit`, and that is the caller's code.
public final class CallbackQueue: Sendable {
  private struct State: Sendable {
    var pending = 0
    var isRunning = false
    var delivered: UInt64 = 0
    var isWatched = false
    var wasReported = false
  }

  private let queue: DispatchQueue
  private let label: String
  private let patience: DispatchTimeInterval
  private let stalled: @Sendable (String) -> Void
  private let state = Lock(State())
  /// How the wait monitor knows it; the main queue is known already.
  private let identity: WaitIdentity

  /// - Parameters:
  ///   - target: where closures run.
  ///   - patience: how long a delivery may wait while none begins, before `stalled` is told, once. In real time.
  ///   - stalled: hears, on a background thread, that nobody drains the queue.
  public init(
    _ target: DispatchQueue = .main, patience: DispatchTimeInterval = .seconds(3),
    stalled: @escaping @Sendable (String) -> Void = { _ in }, file: StaticString = #fileID, line: UInt = #line
  ) {
    identity = WaitIdentity(.queue, label: "callbacks on \(target.label)", file: file, line: line)
    label = target.label
    queue = target === DispatchQueue.main ? target : DispatchQueue(label: "gatehouse.callbacks", target: target)
    self.patience = patience
    self.stalled = stalled
  }

  /// A queue of its own, for deliveries that need no queue of the app's.
  package static func ofBackground() -> CallbackQueue { CallbackQueue(.global()) }

  /// Runs a block on the queue, in its turn.
  package func deliver(_ block: @escaping @Sendable () -> Void) {
    let mustWatch = state.withLock { state in
      state.pending += 1
      defer { state.isWatched = true }
      return !state.isWatched && !state.wasReported
    }
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    queue.step("callback") { [self] in
      state.withLock {
        $0.pending -= 1
        $0.delivered += 1
        $0.isRunning = true
      }
      if gw_is_on() { watched(scope, block) } else { block() }
      state.withLock { $0.isRunning = false }
    }
    if mustWatch { watch() }
  }

  private func watched(_ scope: UInt64, _ block: () -> Void) {
    let thing = queue === DispatchQueue.main ? SerialQueue.main.thing : identity.thing()
    gw_enter(thing)
    defer { gw_leave(thing.instance) }
    WaitMonitor.carrying(scope, block)
  }

  /// Releases what a box holds on the queue.
  package func release<Value: Sendable>(_ box: TakeOnce<Value>) {
    queue.step("release") { _ = box.take() }
  }

  /// Looks again after a while: a queue that moved is fine, one that has nothing to do needs no watching.
  private func watch() {
    let seen = state.withLock { $0.delivered }
    DispatchQueue.global(qos: .utility).concurrentStep("watch", after: patience) { [self] in
      enum Finding { case idle, moving, stuck(Int) }
      let finding: Finding = state.withLock { state in
        if state.pending == 0 {
          state.isWatched = false
          return .idle
        }
        guard state.delivered == seen, !state.isRunning else { return .moving }
        state.wasReported = true
        return .stuck(state.pending)
      }
      switch finding {
      case .idle: break
      case .moving: watch()
      case .stuck(let count):
        if gw_is_on() { WaitMonitor.noteUndrained(label, count) }
        stalled(
          """
          \(count) callback(s) wait for the queue \(label), and nobody drains it. Either run it \
          (RunLoop.main.run(), dispatchMain(), or an async main function), or set Configuration.callbackQueue to \
          another queue or use the async calls.
          """)
      }
    }
  }
}
