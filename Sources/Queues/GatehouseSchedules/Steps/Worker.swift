import Dispatch
import Foundation
import GatehouseQueues

/// A thread that runs steps. One worker runs at a time: the one that received the last order.
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

  /// Gives an order. Called on another thread, which runs no more steps before its own next order.
  func tell(_ order: Order) {
    self.order.withLock { $0 = order }
    told.signal()
  }

  /// Waits for the next order. Called on the worker's own thread.
  func await() -> Order {
    told.wait()
    return order.withLock { order in
      defer { order = nil }  // releases what the step captured
      return order
    } ?? .stop
  }
}
