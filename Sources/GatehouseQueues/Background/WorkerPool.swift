import Dispatch
import Foundation
import GatehouseBase

/// Threads for code that is not ours and may block: backends and stores.
///
/// The threads are the SDK's own, so that code that blocks them holds up neither Swift's threads nor Dispatch's. A
/// thread is started when there is work and no idle one, and ends after ten idle seconds. At most `width` threads run at
/// once, and one more for each thread that is known to be stuck, up to `maximumStuck`. Work beyond that waits in line.
final class WorkerPool: Sendable {
  /// The pool of this process.
  static let shared = WorkerPool(width: 64, maximumStuck: 64)

  private struct State: Sendable {
    var threads = 0
    var stuck = 0
    var idle: [Worker] = []
    var waiting = FIFO<@Sendable () -> Void>()
  }

  private let width: Int
  private let maximumStuck: Int
  private let state = Lock(State())

  init(width: Int, maximumStuck: Int) {
    self.width = width
    self.maximumStuck = maximumStuck
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
      state.stuck += count
      return next(&state)
    }
    start(decision)
  }

  private enum Decision: Sendable {
    case hand(@Sendable () -> Void, to: Worker)
    case startThread(@Sendable () -> Void)
    case wait
  }

  /// Takes a waiting piece of work for a new thread, if there may be one.
  private func next(_ state: inout State) -> Decision {
    guard state.threads < width + min(state.stuck, maximumStuck), let work = state.waiting.popFirst() else {
      return .wait
    }
    state.threads += 1
    return .startThread(work)
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
      current()
      work = nextWork(for: worker)
    }
  }

  /// What the thread does next; `nil` when it is to end.
  private func nextWork(for worker: Worker) -> (@Sendable () -> Void)? {
    let work: (@Sendable () -> Void)? = state.withLock { state in
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
