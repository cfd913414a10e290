import Dispatch
import Foundation
import GatehouseBase

/// Threads for code that may block: backends and stores, which are not the SDK's, and the SDK's own slow work.
///
/// The threads are the SDK's own, so that code that blocks them delays neither Swift's threads nor Dispatch's. A thread
/// is started when there is work and no idle thread, and ends after ten idle seconds. At most `width` threads run at
/// once, plus one for each thread that is stuck, up to `maximumStuck`. Work beyond that waits in line.
///
///     a thread counts as stuck when                why
///     its call was given up                        no caller waits for the result any more
///     work waits in line, and the thread has       a store's call is never given up, because its order must hold
///     been busy with one call for `patience`
final class WorkerPool: Sendable {
  /// The process's pool for code that is not the SDK's.
  static let shared = WorkerPool(name: "gatehouse.foreign", width: 64, maximumStuck: 192, patience: .seconds(5))

  private struct State: Sendable {
    var threads = 0
    /// Threads whose calls were given up.
    var givenUp = 0
    /// The time when each busy thread began its current work.
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

  private let name: String
  private let width: Int
  private let maximumStuck: Int
  private let patience: Duration
  private let isCourteous: Bool
  private let state = Lock(State())
  /// A serial queue, which gets a thread even when the app blocks all threads of the global queues.
  private static let watch = DispatchQueue(label: "gatehouse.foreign.watch")

  /// - Parameters:
  ///   - name: the name of its threads in debuggers and `top`.
  ///   - patience: the time after which a busy thread counts as stuck, in real time.
  ///   - isCourteous: whether its threads have a low priority.
  init(
    name: String, width: Int, maximumStuck: Int = 0, patience: Duration = .seconds(5), isCourteous: Bool = false
  ) {
    self.name = name
    self.width = width
    self.maximumStuck = maximumStuck
    self.patience = patience
    self.isCourteous = isCourteous
  }

  /// The current number of threads.
  var threads: Int { state.withLock { $0.threads } }

  /// Runs work on a thread of the pool, in the order of submission. Never waits.
  func async(_ name: StaticString, _ work: @escaping @Sendable () -> Void) {
    if let scheduler = Schedule.current { return scheduler.async(name, on: .concurrent, after: 0, work) }
    start(
      state.withLock { state in
        if let worker = state.idle.popLast() { return .hand(work, to: worker) }
        state.waiting.append(work)
        return next(&state)
      })
  }

  /// Records that some threads are stuck in work whose result is not wanted any more. A negative count records that
  /// they have returned.
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
      if state.waiting.count > 0, maximumStuck > 0 { watch(&state) }
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
      let worker = Worker(work)
      let thread = Thread { [self] in
        if isCourteous { ThreadPriority.lower() }
        run(worker)
      }
      thread.name = name
      thread.start()
    }
  }

  // MARK: On a thread of the pool

  private func run(_ worker: Worker) {
    repeat {
      state.withLock { $0.begun[ObjectIdentifier(worker)] = .now }
      worker.perform()
    } while hasNextWork(worker)
  }

  /// Whether the thread has more work; otherwise it must end. An idle thread keeps nothing of its earlier work.
  private func hasNextWork(_ worker: Worker) -> Bool {
    let isBusy = state.withLock { state in
      state.begun[ObjectIdentifier(worker)] = nil
      state.late.remove(ObjectIdentifier(worker))
      if let work = state.waiting.popFirst() {
        worker.take(work)
        return true
      }
      state.idle.append(worker)
      return false
    }
    if isBusy || worker.wait(seconds: 10) { return true }
    let ends = state.withLock { state in
      guard let index = state.idle.firstIndex(where: { $0 === worker }) else { return false }
      state.idle.remove(at: index)
      state.threads -= 1
      return true
    }
    return ends ? false : worker.wait()  // work arrived at the last moment
  }

  /// A thread, and the work that it gets.
  private final class Worker: Sendable {
    private let told = DispatchSemaphore(value: 0)
    private let work: Lock<(@Sendable () -> Void)?>

    init(_ work: @escaping @Sendable () -> Void) { self.work = Lock(work) }

    /// Gives an idle thread work.
    func hand(_ work: @escaping @Sendable () -> Void) {
      take(work)
      told.signal()
    }

    func take(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0 = work } }

    /// Does the work. It is released, with all that it captured, before this returns.
    func perform() {
      let work = work.withLock { work in
        defer { work = nil }
        return work
      }
      work?()
    }

    /// Waits for work. Returns `false` if none came in time.
    func wait(seconds: Double = .infinity) -> Bool {
      told.wait(timeout: seconds.isFinite ? .now() + seconds : .distantFuture) == .success
    }
  }
}
