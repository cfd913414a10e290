import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Testing

/// Operations of any isolation, on a queue that does not belong to the SDK.
@Suite(.endsIfItHangs) struct QueuedOperationTests {
  private let executor = SerialQueueExecutor(label: "test.target")

  private enum Refusal: Error { case refused }

  @Test func `an operation's result and its own error come back`() async throws {
    let queue = SerialTaskQueue(label: "test.tasks", target: executor)
    #expect(try await queue.run { 1 } == 1)
    let error = await #expect(throws: QueueFailure<Refusal>.self) {
      try await queue.run { () async throws(Refusal) -> Int in throw .refused }
    }
    #expect(error == .work(.refused))
  }

  @Test func `an operation begins on the target, and the next one when it has ended`() async throws {
    let queue = SerialTaskQueue(label: "test.tasks", target: executor)
    let events = Lock<[String]>([])
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let first = queue.enqueue { [executor] in
      events.withLock { $0.append("first begins, on the target: \(executor.isCurrent)") }
      for await _ in released { break }
      events.withLock { $0.append("first ends") }
    }
    let second = queue.enqueue { events.withLock { $0.append("second") } }
    executor.sync {}
    events.withLock { $0.append("the target is free") }
    release.yield()
    try await first.value
    try await second.value
    #expect(
      events.withLock { $0 } == ["first begins, on the target: true", "the target is free", "first ends", "second"])
  }

  @Test func `an operation of an actor on the target begins in its turn`() async throws {
    let queue = SerialTaskQueue(label: "test.tasks", target: Shelf.executor)
    let begun = Lock<[Bool]>([])
    for _ in 0..<200 {
      let hasBegun = Lock(false)
      let operation = queue.enqueue { @Shelf in
        Shelf.shared.preconditionIsolated()
        hasBegun.withLock { $0 = true }
      }
      // Follows the operation on the target: with one hop more, it would run first.
      Shelf.executor.sync { begun.withLock { $0.append(hasBegun.withLock { $0 }) } }
      try await operation.value
    }
    #expect(begun.withLock { $0 } == Array(repeating: true, count: 200))
  }

  @Test func `waiting on one's own queue throws, and puts nothing there`() async throws {
    let queue = SerialTaskQueue(label: "test.a", target: executor)
    let other = SerialTaskQueue(label: "test.b", target: executor)
    let hasRun = Lock(false)
    let error = await #expect(throws: QueueFailure<QueueFailure<QueueFailure<Never>>>.self) {
      try await queue.run { () async throws(QueueFailure<QueueFailure<Never>>) in
        try await other.run { () async throws(QueueFailure<Never>) in
          try await queue.run { hasRun.withLock { $0 = true } }
        }
      }
    }
    #expect(error == .work(.work(.wouldDeadlock(queue: "test.a"))))
    try await queue.run {}
    #expect(!hasRun.withLock { $0 })
  }

  @Test func `waiting for an operation behind one's own throws, and the operation has its turn`() async throws {
    let queue = SerialTaskQueue(label: "test.a", target: executor)
    let later = Lock<QueuedOperation<Int, Never>?>(nil)
    let error = await #expect(throws: QueueFailure<QueueFailure<Never>>.self) {
      try await queue.run { () async throws(QueueFailure<Never>) in
        let operation = queue.enqueue { 2 }
        later.withLock { $0 = operation }
        _ = try await operation.value
      }
    }
    #expect(error == .work(.wouldDeadlock(queue: "test.a")))
    #expect(try await later.withLock { $0 }?.value == 2)
  }

  @Test func `an operation past its timeout is cancelled, and the next one begins`() async throws {
    let clocks = ManualClocks()
    let queue = SerialTaskQueue(label: "test.tasks", target: executor, clocks: clocks)
    let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
    let kept = Lock<CheckedContinuation<Int, Never>?>(nil)
    let stuck = queue.enqueue("stuck", timeout: .seconds(5)) {
      await withTaskCancellationHandler {
        await withCheckedContinuation { forever in kept.withLock { $0 = forever } }
      } onCancel: {
        cancel.yield()
      }
    }
    await clocks.waitForSleeper(of: .seconds(5))
    clocks.advance(by: .seconds(5))
    let error = await #expect(throws: QueueFailure<Never>.self) { try await stuck.value }
    #expect(error == .deadline(operation: "stuck", timeout: .seconds(5)))
    for await _ in cancelled { break }
    #expect(try await queue.run { 1 } == 1)
    kept.withLock { $0 }?.resume(returning: 7)
    for _ in 0..<10_000 { await Task.yield() }  // the late result arrives
    let late = await #expect(throws: QueueFailure<Never>.self) { try await stuck.value }
    #expect(late == error, "a late result is dropped")
  }

  @Test func `an operation in time takes its alarm back`() async throws {
    let clocks = ManualClocks()
    let queue = SerialTaskQueue(label: "test.tasks", target: executor, clocks: clocks)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let operation = queue.enqueue(timeout: .seconds(5)) { for await _ in released { break } }
    await clocks.waitForSleeper(of: .seconds(5))
    release.yield()
    try await operation.value
    while clocks.sleepers > 0 { await Task.yield() }
    clocks.advance(by: .seconds(10))
    try await operation.value
  }

  @Test func `an operation that is cancelled before its turn never begins`() async throws {
    let queue = SerialTaskQueue(label: "test.tasks", target: executor)
    let hasRun = Lock(false)
    queue.suspend()
    let operation = queue.enqueue { hasRun.withLock { $0 = true } }
    operation.cancel()
    let error = await #expect(throws: QueueFailure<Never>.self) { try await operation.value }
    #expect(error == .cancelled)
    queue.resume()
    try await queue.run {}
    #expect(!hasRun.withLock { $0 })
  }

  @Test func `a cancelled run ends at once, its task is cancelled, and the next one waits for its end`() async throws {
    let queue = SerialTaskQueue(label: "test.tasks", target: executor)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Bool.self)
    let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
    let events = Lock<[String]>([])
    let caller = Task {
      try await queue.run {
        begin.yield()
        await withTaskCancellationHandler {
          // In a separate task, which is not cancelled.
          _ = await Task { for await _ in released { break } }.value
        } onCancel: {
          cancel.yield()
        }
        events.withLock { $0.append("ends, cancelled: \(Task.isCancelled)") }
      }
    }
    for await _ in begun { break }
    caller.cancel()
    let error = await #expect(throws: QueueFailure<Never>.self) { try await caller.value }
    #expect(error == .cancelled)
    let next = queue.enqueue { events.withLock { $0.append("next") } }
    executor.sync {}
    for await _ in cancelled { break }
    release.yield(true)
    try await next.value
    #expect(events.withLock { $0 } == ["ends, cancelled: true", "next"])
  }

  /// A cancellation handler is the operation's own code, and may take as long as it likes.
  @Test(arguments: [QueueFailure<Never>.cancelled, .deadline(operation: "slow", timeout: .seconds(5))])
  func `a waiter does not wait for the operation's cancellation handlers`(failure: QueueFailure<Never>) async throws {
    let clocks = ManualClocks()
    let queue = SerialTaskQueue(label: "test.tasks", target: executor, clocks: clocks)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let hasAnswer = DispatchSemaphore(value: 0)  // blocks a thread, as foreign code may
    let operation = queue.enqueue("slow", timeout: .seconds(5)) {
      begin.yield()
      await withTaskCancellationHandler {
        // In a separate task: this one would block a thread of Swift's at its end, because its handler still runs.
        _ = await Task { for await _ in released { break } }.value
      } onCancel: {
        hasAnswer.wait()
      }
    }
    for await _ in begun { break }
    await clocks.waitForSleeper(of: .seconds(5))
    let waiter = Task.immediate { try await operation.value }  // waits already when the operation ends
    DispatchQueue.global().async {
      if failure == .cancelled { operation.cancel() } else { clocks.advance(by: .seconds(5)) }
    }
    #expect(await #expect(throws: QueueFailure<Never>.self) { try await waiter.value } == failure)
    hasAnswer.signal()
    release.finish()
    try await queue.run {}
  }

  @Test func `a cancelled waiter gets its answer, and the operation goes on for the others`() async throws {
    let queue = SerialTaskQueue(label: "test.tasks", target: executor)
    queue.suspend()
    let operation = queue.enqueue { 1 }
    let one = Task { try await operation.value }
    let other = Task { try await operation.value }
    one.cancel()
    let error = await #expect(throws: QueueFailure<Never>.self) { try await one.value }
    #expect(error == .cancelled)
    queue.resume()
    #expect(try await other.value == 1)
  }

  @Test func `a sync of an executor on itself stops the process and says why`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      endIfItHangs()
      let executor = SerialQueueExecutor(label: "test.itself")
      executor.sync { executor.sync {} }
    }
    let words = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(words.contains("sync was called on the queue test.itself itself and would wait for itself"), "\(words)")
  }

  @Test func `a released value dies on the callback queue`() async {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "test.callbacks")
    queue.setSpecific(key: key, value: true)
    let callbacks = CallbackQueue(queue)
    for _ in 0..<200 {
      let wasThere = await withCheckedContinuation { dead in
        callbacks.release(Mortal { dead.resume(returning: DispatchQueue.getSpecific(key: key) == true) })
      }
      #expect(wasThere)
    }
  }
}

/// An actor with its own queue.
@globalActor private actor Shelf {
  static let shared = Shelf()
  static let executor = SerialQueueExecutor(label: "test.shelf")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.executor.asUnownedSerialExecutor() }
}

private final class Mortal: Sendable {
  private let end: @Sendable () -> Void
  init(_ end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
}
