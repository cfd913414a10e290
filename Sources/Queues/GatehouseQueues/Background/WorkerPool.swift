import Dispatch
import Foundation
import GatehouseBase

/// Threads for code that is not ours and may block: backends and stores.
///
/// The threads are the SDK's own, so that code that blocks them holds up neither Swift's threads nor Dispatch's. A
/// thread is started when there is work and no idle one, and ends after ten idle seconds. At most `width` threads run
/// at once, and one more for each thread that is stuck, up to `maximumStuck`. Work beyond that waits in line.
///
///     a thread counts as stuck when                why
///     its call was given up                        no caller waits for the result any more
///     work waits in line, and the thread has       a store's call is never given up, because its order must hold
///     been busy with one call for `patience`
final class WorkerPool: Sendable {
  /// The pool of this process.
  static let shared = WorkerPool(width: 64, maximumStuck: 192, patience: .seconds(5))

  private struct State: Sendable {
    var threads = 0
    /// Threads whose calls were given up.
    var givenUp = 0
    /// When each busy thread began its current work.
    var begun: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    /// Threads that have been busy with one piece of work for `patience`.
    var late: Set<ObjectIdentifier> = []
    /// Whether a check for late threads is scheduled.
    var isWatched = false
    var idle: [Worker] = []
    var waiting = FIFO<@Sendable () -> Void>()
    /// The maximum, not the sum: most threads whose calls were given up are also late.
    var stuck: Int { max(givenUp, late.count) }
  }

  private let width: Int
  private let maximumStuck: Int
  private let patience: Duration
  private let state = Lock(State())
  /// A serial queue, which gets a thread even when the app blocks all threads of the global queues.
  private static let watch = DispatchQueue(label: "gatehouse.foreign.watch")

  /// - Parameter patience: in real time.
  init(width: Int, maximumStuck: Int, patience: Duration) {
    self.width = width
    self.maximumStuck = maximumStuck
    self.patience = patience
  }

  /// How many threads there are now.
  var threads: Int { state.withLock { $0.threads } }

  /// Runs work on a thread of the pool, in the order in which it came. Never waits.
  func async(_ name: StaticString, _ work: @escaping @Sendable () -> Void) {
    if let scheduler = Schedule.current { return scheduler.async(name, on: .concurrent, after: 0, work) }
    start(
      state.withLock { state in
        if let worker = state.idle.popLast() { return .hand(work, to: worker) }
        state.waiting.append(work)
        return next(&state)
      })
  }

  /// Records that some threads are stuck in work whose result is not wanted any more; with a negative count, that they
  /// have returned.
  func noteStuck(_ count: Int) {
    let decision = state.withLock { state in
      state.givenUp += count
      return next(&state)
    }
    start(decision)
  }

  /// Counts threads whose current work began at `moment` or earlier as stuck, and starts threads for waiting work.
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

  /// Schedules a check for late threads. The check repeats while work waits.
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
    return ends ? nil : worker.wait()  // work arrived at the last moment
  }

  /// An idle thread, and the work that it gets.
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
