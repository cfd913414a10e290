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
  private let width: Int
  private let state = Lock(State())

  /// Makes the queue.
  ///
  /// - Parameters:
  ///   - label: names the queue in debuggers.
  ///   - width: how many pieces of work may run at once; at least one do.
  public init(label: String, width: Int) {
    queue = DispatchQueue(label: label, attributes: .concurrent)
    self.width = max(width, 1)
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

  /// Runs work on a background thread, in its turn. Does not wait for it.
  public func async(_ work: @escaping @Sendable () -> Void) {
    guard gw_is_on() else { return begin(work) }
    let carried = CarriedWork.current
    begin { WaitMonitor.carrying(carried, work) }
  }

  private func begin(_ work: @escaping @Sendable () -> Void) {
    let begins = state.withLock { state in
      guard state.running < width else {
        state.waiting.append(work)
        return false
      }
      state.running += 1
      return true
    }
    if begins { queue.async(concurrentStep: "work") { self.runAndGoOn(work) } }
  }

  private func runAndGoOn(_ work: @Sendable () -> Void) {
    work()
    let next: (@Sendable () -> Void)? = state.withLock { state in
      if let next = state.waiting.popFirst() { return next }
      state.running -= 1
      return nil
    }
    if let next { queue.async(concurrentStep: "work") { self.runAndGoOn(next) } }
  }
}
