import GatehouseBase
import GatehouseQueues
import HangGuard
import Testing

/// A promise delivers its result to each waiter once, and detects when it has no waiters left.
struct PromiseTests {
  /// Starts waiting: the waiter is registered when this returns.
  @WorkQueue private func wait(for promise: Promise<Int, PlainFailure>) -> Task<Result<Int, PlainFailure>, Never> {
    Task.immediate { @WorkQueue in await promise.result() }
  }

  @Test func `an operation that waits for what comes behind it is told that it would deadlock`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let queue = SerialTaskQueue(label: "test.turn")
      let later = Lock<Promise<Int, PlainFailure>?>(nil)
      let error = await #expect(throws: PlainFailure.self) {
        try await queue.run("first", deadline: nil) { () throws(PlainFailure) in
          let promise = queue.enqueue("second", deadline: nil) { () throws(PlainFailure) in 2 }
          later.withLock { $0 = promise }
          _ = try await promise.value()
        }
      }
      #expect(error == .wouldDeadlock(queue: "test.turn"))
      let value = try await later.withLock { $0 }?.value()
      #expect(value == 2)
    }
  }

  @Test @WorkQueue func `it is abandoned when the last of its waiters is cancelled, and once`() async {
    let promise = Promise<Int, PlainFailure>()
    let count = Lock(0)
    promise.whenAbandoned { count.withLock { $0 += 1 } }
    let one = wait(for: promise), other = wait(for: promise)
    one.cancel()
    #expect(await one.value.failure == .cancelled)
    #expect(count.withLock { $0 } == 0, "one waits still")
    other.cancel()
    #expect(await other.value.failure == .cancelled)
    #expect(count.withLock { $0 } == 1)
    let late = wait(for: promise)
    late.cancel()
    _ = await late.value
    #expect(count.withLock { $0 } == 1)
  }

  @Test @WorkQueue func `a waiter that was released leaves the others their result`() async throws {
    let promise = Promise<Int, PlainFailure>()
    let waiters = [wait(for: promise), wait(for: promise), wait(for: promise)]
    waiters[1].cancel()
    #expect(await waiters[1].value.failure == .cancelled)
    promise.resolve(.success(1))
    promise.resolve(.success(2))
    for waiter in [waiters[0], waiters[2]] { #expect(try await waiter.value.get() == 1) }
  }

  @Test @WorkQueue func `a cancellation that comes after the result changes nothing`() async throws {
    let promise = Promise<Int, PlainFailure>()
    let count = Lock(0)
    promise.whenAbandoned { count.withLock { $0 += 1 } }
    let waiter = wait(for: promise)
    promise.resolve(.success(1))
    waiter.cancel()
    #expect(try await waiter.value.get() == 1)
    #expect(count.withLock { $0 } == 0)
  }

  @Test @WorkQueue func `with its result it lets go of what waits to be abandoned`() async {
    let promise = Promise<Int, PlainFailure>()
    weak var held: Held?
    do {
      let object = Held()
      held = object
      promise.whenAbandoned { withExtendedLifetime(object) {} }
    }
    #expect(held != nil)
    promise.resolve(.success(1))
    #expect(held == nil)
  }
}

private final class Held: Sendable {}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
