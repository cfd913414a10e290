import Dispatch
import GatehouseQueues
import HangGuard
import Testing

struct CallbackTests {
  /// While the runtime gives the main thread away, blocks of the main queue can run out of order. A second block for
  /// the closure, created when the callback was released, took the closure away before the first block could call it.
  @Test func `a closure that is called for the last time is handed over once`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let steps = HandTurnedSteps()
      let called = Lock(0)
      do {
        let closure: @Sendable () -> Void = { called.withLock { $0 += 1 } }
        let callback = Callback(closure, isolatedTo: nil, on: CallbackQueue(DispatchQueue(label: "test.app")))
        callback.end { $1() }
        callback.end { $1() }
      }
      precondition(steps.ready == 1, "\(steps.ready) blocks for one call")
      steps.runNext()
      precondition(called.withLock { $0 } == 1)
    }
  }

  @Test func `a closure that is never called is released on its queue`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let steps = HandTurnedSteps()
      _ = Callback({ @Sendable () -> Void in }, isolatedTo: nil, on: CallbackQueue(DispatchQueue(label: "test.app")))
      precondition(steps.ready == 1)
    }
  }
}
