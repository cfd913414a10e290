import Dispatch
import Foundation
import GatehouseQueues

/// A thread that runs steps. Of all workers one runs at a time: the one that was last told to.
final class Worker: Sendable {
  enum Order: Sendable {
    /// Run this step, and then the next ones.
    case run(TakenStep)
    /// Your synchronous call has its turn.
    case proceed
    /// The schedule is over.
    case stop
  }

  // A plain dispatch semaphore: neither the schedule nor the wait monitor may see the scheduler's own waits.
  private let told = DispatchSemaphore(value: 0)
  private let order = Lock<Order?>(nil)

  /// Makes a worker and its thread, which ends when `body` does.
  init(_ body: @escaping @Sendable (Worker) -> Void) {
    Thread.detachNewThread { body(self) }
  }

  /// Called on another thread, which runs no more steps before it is told to.
  func tell(_ order: Order) {
    self.order.withLock { $0 = order }
    told.signal()
  }

  /// Waits for the next order. Called on the worker's own thread.
  func await() -> Order {
    told.wait()
    return order.withLock { order in
      defer { order = nil }  // a step that has run lets go of what it holds
      return order
    } ?? .stop
  }
}
