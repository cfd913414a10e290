import CGatehouseWaits
import Dispatch

/// Slow work, on a bounded number of threads: values in, values out.
///
/// Work begins in the order in which it came; at most `width` pieces run at once. Usable from any thread.
public final class BackgroundQueue: Sendable {
  private struct State: Sendable {
    var running = 0
    var waiting = FIFO<@Sendable () -> Void>()
  }

  private let queue: DispatchQueue
  /// Threads of its own; `nil` for Dispatch's.
  private let threads: WorkerPool?
  private let width: Int
  private let state = Lock(State())
  /// Which background queue a thread of Dispatch works for.
  private static let current = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes the queue.
  ///
  /// - Parameters:
  ///   - label: names the queue in debuggers.
  ///   - width: how many pieces of work may run at once; at least one do.
  public convenience init(label: String, width: Int) { self.init(label: label, width: width, isCourteous: false) }

  /// - Parameter isCourteous: whether it has threads apart, which let all others go before them; for work that keeps a
  ///   processor busy and that can wait.
  package init(label: String, width: Int, isCourteous: Bool) {
    self.width = max(width, 1)
    queue = DispatchQueue(label: label, attributes: .concurrent)
    threads = isCourteous ? WorkerPool(name: label, width: self.width, isCourteous: true) : nil
    queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
  }

  /// Runs work on a background thread, in its turn, waits for it without blocking a thread, and returns its result.
  ///
  /// Throws what the work throws. Does not end early when the task is cancelled.
  public func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      async {
        do throws(Failure) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// As `run`; a task that is on one of the queue's threads already, by its `executor`, does the work at once.
  package func runInPlace<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) { return try work() }
    return try await run(work)
  }

  /// Runs work on a background thread, in its turn, and returns its result. Blocks the caller's thread, so that it is
  /// for threads of another background queue.
  package func sync<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = Lock<Result<Value, Failure>?>(nil)
    let ended = WatchedSemaphore(value: 0)
    async {
      let result = Result { () throws(Failure) in try work() }
      outcome.withLock { $0 = result }
      ended.signal()
    }
    ended.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("signaled only after the outcome is there") }
    return try result.get()
  }

  /// Runs work on a background thread, in its turn. Does not wait for it.
  public func async(_ work: @escaping @Sendable () -> Void) {
    guard gw_is_on() else { return begin(work) }
    let carried = CarriedWork.current
    begin { WaitMonitor.carrying(carried, work) }
  }

  func begin(_ work: @escaping @Sendable () -> Void) {
    let begins = state.withLock { state in
      guard state.running < width else {
        state.waiting.append(work)
        return false
      }
      state.running += 1
      return true
    }
    if begins { start(work) }
  }

  private func start(_ work: @escaping @Sendable () -> Void) {
    if let threads { return threads.async("work") { self.runAndGoOn(work) } }
    queue.async(concurrentStep: "work") { self.runAndGoOn(work) }
  }

  private func runAndGoOn(_ work: @Sendable () -> Void) {
    work()
    let next: (@Sendable () -> Void)? = state.withLock { state in
      if let next = state.waiting.popFirst() { return next }
      state.running -= 1
      return nil
    }
    if let next { start(next) }
  }
}
