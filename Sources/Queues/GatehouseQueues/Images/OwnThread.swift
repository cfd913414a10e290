import Dispatch
import Foundation

/// Runs work on a new thread, which ends when the work has ended.
enum OwnThread {
  /// The caller waits for the result. The wait monitor does not see that wait: the work waits for no other thread.
  static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
    let result = UnwatchedLock<Result?>(nil), isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      let value = work()
      result.withLock { $0 = value }
      isDone.signal()
    }
    thread.start()
    while true {
      isDone.wait()
      if let value = result.withLock({ $0 }) { return value }
    }
  }
}
