import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import HangGuard
import Testing

/// On Linux the process crashes when a suspended dispatch queue is released. No use of a task queue may cause that.
///
/// Each test runs in its own process: it releases a task queue in some state, and checks that the target still works.
struct SuspendedQueueTests {
  @Test func `the guard is needed: Dispatch stops the process that releases a suspended queue`() async throws {
    let child = try await #require(processExitsWith: .failure) {
      endIfItHangs()
      DispatchQueue(label: "test.raw").suspend()
    }
    #expect(child.exitStatus != .exitCode(Watchdog.exitStatus))
  }

  @Test(arguments: [1, 3]) func `a task queue is released while it is suspended`(times: Int) async {
    await #expect(processExitsWith: .success) { [times] in
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      do {
        let queue = SerialTaskQueue(label: "test.tasks", target: target)
        for _ in 0..<times { queue.suspend() }
      }
      target.sync("after") {}
    }
  }

  @Test func `a task queue is released while it is suspended, and what stands in it runs`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      await withCheckedContinuation { done in
        let queue = SerialTaskQueue(label: "test.tasks", target: target)
        queue.suspend()
        queue.async { done.resume() }
      }
    }
  }

  @Test func `a task queue is released while its operation is under way`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      let complete = Lock<(@Sendable () -> Void)?>(nil)
      await withCheckedContinuation { begun in
        SerialTaskQueue(label: "test.tasks", target: target).enqueue { turn in
          complete.withLock { $0 = turn }
          begun.resume()
        }
      }
      target.sync("meanwhile") {}
      complete.withLock { $0 }?()
      complete.withLock { $0 = nil }
      target.sync("after") {}
    }
  }

  @Test func `a task lets go of its completion, and everything of the queue`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      await withCheckedContinuation { (begun: CheckedContinuation<Void, Never>) in
        SerialTaskQueue(label: "test.tasks", target: target).enqueue { _ in begun.resume() }
      }
      target.sync("after") {}
    }
  }

  @Test func `a task queue is released by the operation that its deadline ended`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let clocks = ManualClocks()
      let gate = Lock<CheckedContinuation<Void, Never>?>(nil)
      let call = Task {
        try await SerialTaskQueue(label: "test.tasks").run("late", deadline: Deadline(5, on: Timekeeper { clocks })) {
          () throws(PlainFailure) in await withCheckedContinuation { late in gate.withLock { $0 = late } }
        }
      }
      await clocks.waitForSleeper(of: 5)
      clocks.advance(by: 5)
      await #expect(throws: PlainFailure.self) { try await call.value }
      gate.withLock { $0 }?.resume()
      WorkQueue.sync("after") {}
    }
  }

  @Test func `a queue that was suspended in a schedule is released after it`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      let kept = Lock<SerialTaskQueue?>(nil)
      let report = Schedules.explore(3) { _ in
        let queue = SerialTaskQueue(label: "test.tasks", target: target)
        queue.suspend()
        kept.withLock { $0 = queue }
      }
      #expect(report.failure == nil)
      kept.withLock { $0 }?.resume()
      kept.withLock { $0 }?.suspend()
      kept.withLock { $0 = nil }
      target.sync("after") {}
    }
  }

  @Test func `a queue that was suspended before a schedule is released in it`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      let kept = Lock<SerialTaskQueue?>(SerialTaskQueue(label: "test.tasks", target: target))
      kept.withLock { $0 }?.suspend()
      let report = Schedules.explore(3) { _ in kept.withLock { $0 = nil } }
      #expect(report.failure == nil)
      target.sync("after") {}
    }
  }

  @Test func `an operation that began in a schedule ends after it`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let target = SerialQueueExecutor(label: "test.target")
      let complete = Lock<(@Sendable () -> Void)?>(nil)
      let report = Schedules.explore(3) { context in
        SerialTaskQueue(label: "test.tasks", target: target).enqueue { turn in complete.withLock { $0 = turn } }
        await context.settle()
      }
      #expect(report.failure == nil)
      complete.withLock { $0 }?()
      complete.withLock { $0 = nil }
      target.sync("after") {}
    }
  }
}
