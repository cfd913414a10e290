import Dispatch
import GatehouseQueues
import GatehouseWaits
import Testing

/// The wait monitor detects cycles that close through callbacks on main.
struct CallbackCyclesTests {
  @Test func `a callback on main that waits for a queue, and that queue for main, is a cycle`() async throws {
    let reports = try await WaitMonitor.watching {
      let queue = SerialQueue(label: "test.journal")
      let callbacks = CallbackQueue()
      await withCheckedContinuation { done in
        callbacks.deliver {
          queue.sync {}
          done.resume()
        }
      }
      await withCheckedContinuation { done in
        queue.async {
          SerialQueue.main.sync {}
          done.resume()
        }
      }
    }
    #expect(reports.contains { "\($0)".contains("test.journal") }, "\(reports)")
  }

  @Test func `the same through a closure that is isolated to the main actor`() async throws {
    let reports = try await WaitMonitor.watching {
      let queue = SerialQueue(label: "test.ledger")
      let closure: @MainActor @Sendable () -> Void = { queue.sync {} }
      let callback = Callback(
        closure, isolatedTo: MainActor.shared, on: CallbackQueue(DispatchQueue(label: "test.app")))
      await withCheckedContinuation { done in
        WorkQueue.async {
          callback.end { _, closure in
            await closure()
            done.resume()
          }
        }
      }
      await withCheckedContinuation { done in
        queue.async {
          SerialQueue.main.sync {}
          done.resume()
        }
      }
    }
    #expect(reports.contains { "\($0)".contains("test.ledger") }, "\(reports)")
  }
}
