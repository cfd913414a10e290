import Dispatch
import Foundation
import GatehouseBase

/// Threads for code that is not ours and may block: backends and stores.
///
/// The threads are the SDK's own, so that code that blocks them holds up neither Swift's threads nor Dispatch's. A
/// thread is started when there is work and no idle one, and ends after ten idle seconds. At most `width` threads run at
/// once, and one more for each thread that is stuck, up to `maximumStuck`. Work beyond that waits in line.
///
///     a thread is stuck                            because
///     when its call was given up                   nothing waits for its result any more
///     when work has been in line for `patience`,   a store's call is never given up: its order must hold
///     and the thread at its piece for as long
final class WorkerPool: Sendable {
  /// The pool of this process.
  static let shared = WorkerPool(width: 64, maximumStuck: 192, patience: .seconds(5))

  private struct State: Sendable {
    var threads = 0
    /// Threads whose calls were given up.
    var givenUp = 0
    /// Since when each thread has been at its piece of work; of those that are not idle.
    var begun: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    /// Threads that have been at their piece for long.
    var late: Set<ObjectIdentifier> = []
    /// Whether there will be a look for threads that are late.
    var isWatched = false
    var idle: [Worker] = []
    var waiting = FIFO<@Sendable () -> Void>()
    /// Most threads that are given up are late as well.
    var stuck: Int { max(givenUp, late.count) }
  }

  private let width: Int
  private let maximumStuck: Int
  private let patience: Duration
  private let state = Lock(State())
  /// A serial queue has a thread also when the app blocks those of the global queues.
  private static let watch = DispatchQueue(label: "gatehouse.foreign.watch")

  /// - Parameter patience: of real time, because threads are real.
  init(width: Int, maximumStuck: Int, patience: Duration) {
    self.width = width
    self.maximumStuck = maximumStuck
    self.patience = patience
  }

  /// How many threads there are now.
  var threads: Int { state.withLock { $0.threads } }

  /// Runs work on a thread of the pool, in the order in which it came. Never waits.
  func submit(_ name: StaticString, _ work: @escaping @Sendable () -> Void) {
    if let scheduler = Schedule.current { return scheduler.submit(name, to: .concurrent, after: 0, work) }
    start(
      state.withLock { state in
        if let worker = state.idle.popLast() { return .hand(work, to: worker) }
        state.waiting.append(work)
        return next(&state)
      })
  }

  /// Says that some threads are stuck in work whose result is not wanted any more; with a negative count, that they
  /// have come back.
  func noteStuck(_ count: Int) {
    let decision = state.withLock { state in
      state.givenUp += count
      return next(&state)
    }
    start(decision)
  }

  /// Counts the threads that have been at their piece since before a moment as stuck, so that others may run.
  func relieve(since moment: ContinuousClock.Instant) {
    let decisions = state.withLock { state in
      state.late = Set(state.begun.filter { $0.value <= moment }.keys)
      var decisions: [Decision] = []
      while case .startThread(let work) = next(&state) { decisions.append(.startThread(work)) }
      return decisions
    }
    for decision in decisions { start(decision) }
  }

  private enum Decision: Sendable {
    case hand(@Sendable () -> Void, to: Worker)
    case startThread(@Sendable () -> Void)
    case wait
  }

  /// Takes a waiting piece of work for a new thread, if there may be one.
  private func next(_ state: inout State) -> Decision {
    guard state.threads < width + min(state.stuck, maximumStuck) else {
      if state.waiting.count > 0 { watch(&state) }
      return .wait
    }
    guard let work = state.waiting.popFirst() else { return .wait }
    state.threads += 1
    return .startThread(work)
  }

  /// Looks for late threads after a while, again and again while work is in line.
  private func watch(_ state: inout State) {
    guard !state.isWatched else { return }
    state.isWatched = true
    Self.watch.asyncAfter(deadline: .now() + patience / .seconds(1)) { [weak self] in
      guard let self else { return }
      self.state.withLock { $0.isWatched = false }
      relieve(since: .now - patience)
    }
  }

  private func start(_ decision: Decision) {
    switch decision {
    case .wait: break
    case .hand(let work, let worker): worker.hand(work)
    case .startThread(let work):
      let worker = Worker()
      let thread = Thread { [self] in run(work, on: worker) }
      thread.name = "gatehouse.foreign"
      thread.start()
    }
  }

  // MARK: On a thread of the pool

  private func run(_ first: @escaping @Sendable () -> Void, on worker: Worker) {
    var work: (@Sendable () -> Void)? = first
    while let current = work {
      work = nil
      state.withLock { $0.begun[ObjectIdentifier(worker)] = .now }
      current()
      work = nextWork(for: worker)
    }
  }

  /// What the thread does next; `nil` when it is to end.
  private func nextWork(for worker: Worker) -> (@Sendable () -> Void)? {
    let work: (@Sendable () -> Void)? = state.withLock { state in
      state.begun[ObjectIdentifier(worker)] = nil
      state.late.remove(ObjectIdentifier(worker))
      if let work = state.waiting.popFirst() { return work }
      state.idle.append(worker)
      return nil
    }
    if let work { return work }
    if let work = worker.wait(seconds: 10) { return work }
    let ends = state.withLock { state in
      guard let index = state.idle.firstIndex(where: { $0 === worker }) else { return false }
      state.idle.remove(at: index)
      state.threads -= 1
      return true
    }
    return ends ? nil : worker.wait()  // work was handed over at the last moment
  }

  /// An idle thread, and the work that it is handed.
  private final class Worker: Sendable {
    private let told = DispatchSemaphore(value: 0)
    private let work = Lock<(@Sendable () -> Void)?>(nil)

    func hand(_ work: @escaping @Sendable () -> Void) {
      self.work.withLock { $0 = work }
      told.signal()
    }

    /// Waits for work; `nil` when none came in time.
    func wait(seconds: Double = .infinity) -> (@Sendable () -> Void)? {
      let result = told.wait(timeout: seconds.isFinite ? .now() + seconds : .distantFuture)
      guard result == .success else { return nil }
      return work.withLock { work in
        defer { work = nil }
        return work
      }
    }
  }
}
