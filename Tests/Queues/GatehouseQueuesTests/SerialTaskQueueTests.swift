import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Testing

/// The contract of a serial task queue: the four tests that Firebase deleted together with its class, and three more.
struct SerialTaskQueueTests {
  private let target = SerialQueueExecutor(label: "test.target")

  @Test func `an enqueued task runs`() async {
    let queue = SerialTaskQueue(label: "test.tasks", target: target)
    await withCheckedContinuation { done in
      queue.enqueue { complete in
        complete()
        done.resume()
      }
    }
  }

  @Test func `the next task waits for the completion of the first`() async {
    let queue = SerialTaskQueue(label: "test.tasks", target: target)
    let events = Lock<[String]>([])
    let finishFirst = Lock<(@Sendable () -> Void)?>(nil)
    await withCheckedContinuation { begun in
      queue.enqueue { complete in
        events.withLock { $0.append("first begins") }
        finishFirst.withLock { $0 = complete }
        begun.resume()
      }
    }
    await withCheckedContinuation { done in
      queue.enqueue { complete in
        events.withLock { $0.append("second begins") }
        complete()
        done.resume()
      }
      target.queue.async {
        events.withLock { $0.append("first ends") }
        finishFirst.withLock { $0 }?()
      }
    }
    #expect(events.withLock { $0 } == ["first begins", "first ends", "second begins"])
  }

  @Test func `suspending the target suspends the queue`() async {
    let queue = SerialTaskQueue(label: "test.tasks", target: target)
    let events = Lock<[String]>([])
    target.queue.suspend()
    await withCheckedContinuation { done in
      queue.async {
        events.withLock { $0.append("ran") }
        done.resume()
      }
      events.withLock { $0.append("resumed") }
      target.queue.resume()
    }
    #expect(events.withLock { $0 } == ["resumed", "ran"])
  }

  @Test func `a running task leaves the target free`() async {
    let queue = SerialTaskQueue(label: "test.tasks", target: target)
    let finish = Lock<(@Sendable () -> Void)?>(nil)
    await withCheckedContinuation { begun in
      queue.enqueue { complete in
        finish.withLock { $0 = complete }
        begun.resume()
      }
    }
    await withCheckedContinuation { done in target.queue.async { done.resume() } }
    finish.withLock { $0 }?()
  }

  @Test func `suspending a queue leaves the target running`() async {
    let queue = SerialTaskQueue(label: "test.tasks", target: target)
    queue.suspend()
    queue.async {}
    await withCheckedContinuation { done in target.queue.async { done.resume() } }
    queue.resume()
  }

  @Test func `call order holds between operations and plain work`() async throws {
    let queue = SerialTaskQueue(label: "test.order")
    let order = Lock<[Int]>([])
    let count = 2_000
    try await Self.enqueueAlternating(count, on: queue, into: order).value()
    #expect(order.withLock { $0 } == Array(0..<count))
  }

  @WorkQueue
  private static func enqueueAlternating(
    _ count: Int, on queue: SerialTaskQueue, into order: Lock<[Int]>
  ) -> Promise<Void, PlainFailure> {
    for number in 0..<count {
      if number.isMultiple(of: 2) {
        _ = queue.enqueue("operation", deadline: nil) { () throws(PlainFailure) in
          order.withLock { $0.append(number) }
          await Task.yield()
        }
      } else {
        queue.async { order.withLock { $0.append(number) } }
      }
    }
    return queue.enqueue("last", deadline: nil) { () throws(PlainFailure) in }
  }

  @Test func `an operation begins before work that was put on the target after it`() async throws {
    let queue = SerialTaskQueue(label: "test.overtaking")
    let overtaken = Lock(0)
    for _ in 0..<500 {
      let begun = Lock(false)
      await withCheckedContinuation { done in
        WorkQueue.async {
          _ = queue.enqueue("operation", deadline: nil) { () throws(PlainFailure) in
            begun.withLock { $0 = true }
          }
          WorkQueue.async {
            if !begun.withLock({ $0 }) { overtaken.withLock { $0 += 1 } }
            done.resume()
          }
        }
      }
    }
    #expect(overtaken.withLock { $0 } == 0)
  }

  @Test func `waiting on one's own queue throws`() async {
    let queue = SerialTaskQueue(label: "test.self")
    let error = await #expect(throws: PlainFailure.self) {
      try await queue.run("outer", deadline: nil) { () throws(PlainFailure) in
        try await queue.run("inner", deadline: nil) { () throws(PlainFailure) in }
      }
    }
    #expect(error == .wouldDeadlock(queue: "test.self"))
  }

  @Test func `waiting on one's own queue through another one throws`() async {
    let queue = SerialTaskQueue(label: "test.a")
    let other = SerialTaskQueue(label: "test.b")
    let error = await #expect(throws: PlainFailure.self) {
      try await queue.run("outer", deadline: nil) { () throws(PlainFailure) in
        try await other.run("middle", deadline: nil) { () throws(PlainFailure) in
          try await queue.run("inner", deadline: nil) { () throws(PlainFailure) in }
        }
      }
    }
    #expect(error == .wouldDeadlock(queue: "test.a"))
  }

  @Test func `an operation that waits on its own queue puts nothing there`() async throws {
    let queue = SerialTaskQueue(label: "test.self")
    let hasRun = Lock(false)
    await #expect(throws: PlainFailure.self) {
      try await queue.run("outer", deadline: nil) { () throws(PlainFailure) in
        try await queue.run("inner", deadline: nil) { () throws(PlainFailure) in hasRun.withLock { $0 = true } }
      }
    }
    try await queue.run("next", deadline: nil) { () throws(PlainFailure) in }
    #expect(!hasRun.withLock { $0 })
  }

  @Test func `what an operation has begun may wait on the queue once the operation has ended`() async throws {
    let queue = SerialTaskQueue(label: "test.after")
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let begun = try await queue.run("outer", deadline: nil) { () throws(PlainFailure) in
      Task {
        for await _ in ended { break }
        return await outcome { () throws(PlainFailure) in
          try await queue.run("later", deadline: nil) { () throws(PlainFailure) in 1 }
        }
      }
    }
    end.yield()
    #expect(try await begun.value.get() == 1)
  }

  @Test func `an operation past its deadline may wait on its queue: its turn is over`() async throws {
    let queue = SerialTaskQueue(label: "test.late")
    let clocks = ManualClocks()
    let (passed, pass) = AsyncStream.makeStream(of: Void.self)
    let later = Lock<Result<Int, PlainFailure>?>(nil)
    let late = Task {
      try await queue.run("late", deadline: Deadline(5, on: Timekeeper { clocks })) { () throws(PlainFailure) in
        // In a separate task: this one is cancelled at the deadline.
        let task = Task {
          for await _ in passed { break }
          let result = await outcome { () throws(PlainFailure) in
            try await queue.run("later", deadline: nil) { () throws(PlainFailure) in 1 }
          }
          later.withLock { $0 = result }
        }
        await task.value
      }
    }
    await clocks.waitForSleeper(of: 5)
    clocks.advance(by: 5)
    await #expect(throws: PlainFailure.self) { try await late.value }
    pass.yield()
    while later.withLock({ $0 == nil }) { await Task.yield() }
    #expect(try later.withLock { $0 }?.get() == 1)
  }

  @Test func `a resume too many does not weaken the next suspend`() async throws {
    let queue = SerialTaskQueue(label: "test.resume")
    queue.resume()
    queue.suspend()
    queue.resume()
    #expect(try await queue.run("next", deadline: nil) { () throws(PlainFailure) in 1 } == 1)
  }

  @Test func `an operation that never ends meets its deadline, and the next one begins`() async throws {
    let queue = SerialTaskQueue(label: "test.deadline")
    let clocks = ManualClocks()
    let wasCancelled = Lock(false)
    let stuck = Task {
      try await queue.run("stuck", deadline: Deadline(5, on: Timekeeper { clocks })) { () throws(PlainFailure) in
        await withTaskCancellationHandler {
          await withCheckedContinuation { forever in Self.kept.withLock { $0.append(forever) } }
        } onCancel: {
          wasCancelled.withLock { $0 = true }
        }
      }
    }
    await clocks.waitForSleeper(of: 5)
    let next = Task { try await queue.run("next", deadline: nil) { () throws(PlainFailure) in 1 } }
    clocks.advance(by: 5)
    let error = await #expect(throws: PlainFailure.self) { try await stuck.value }
    #expect(error == .deadline(operation: "stuck", timeout: .seconds(5)))
    #expect(try await next.value == 1)
    #expect(wasCancelled.withLock { $0 })
  }

  /// Continuations that are never resumed. Kept, because the runtime reports a released one as a leak.
  private static let kept = Lock<[CheckedContinuation<Void, Never>]>([])

  @Test func `a task that lets go of its completion does not hold the queue`() async {
    let queue = SerialTaskQueue(label: "test.dropped", target: target)
    queue.enqueue { _ in }
    await withCheckedContinuation { done in queue.async { done.resume() } }
  }
}
