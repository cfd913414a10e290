import Dispatch
import GatehouseBase
import GatehouseQueues
import Testing

struct WorkQueueTests {
  @Test func `isolated code runs on the queue, and nothing else does`() async {
    #expect(!WorkQueue.executor.isCurrent)
    #expect(await onQueue())
    #expect(WorkQueue.sync { WorkQueue.executor.isCurrent })
  }

  @WorkQueue private func onQueue() -> Bool { WorkQueue.executor.isCurrent }

  /// Includes `Void`, nested optionals, and values given `atHand`: the result's type is erased on the way.
  @Test func `a result of any type comes back as it was`() async throws {
    #expect(try await WorkQueue.result { () throws(PlainFailure) -> Void in }.get() == ())
    for value in [Int??.none, .some(nil), 1] {
      #expect(try await WorkQueue.result { () throws(PlainFailure) in value }.get() == value)
      #expect(try await WorkQueue.result(of: { () throws(PlainFailure) in 2 }, atHand: { value }).get() == value ?? 2)
    }
    let error = await #expect(throws: PlainFailure.self) {
      try await WorkQueue.result { () throws(PlainFailure) -> Int in throw .cancelled }.get()
    }
    #expect(error == .cancelled)
  }

  @Test func `a synchronous call sees every synchronous call that has returned`() {
    let box = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 { WorkQueue.sync { box.count += 1 } }
    }
    #expect(WorkQueue.sync { box.count } == 4_000)
  }

  @Test func `operations begin in the order in which they were started`() async {
    let order = Lock<[Int]>([])
    await withCheckedContinuation { done in
      for number in 0..<1_000 {
        WorkQueue.start {
          order.withLock { $0.append(number) }
          if number == 999 { done.resume() }
        }
      }
    }
    #expect(order.withLock { $0 } == Array(0..<1_000))
  }

  @Test func `errors come through a synchronous call`() {
    #expect(throws: PlainFailure.self) {
      try WorkQueue.sync { () throws(PlainFailure) in throw .cancelled }
    }
  }

  @Test func `blocks are counted and measured`() {
    let executor = SerialQueueExecutor(label: "test.measured")
    for _ in 0..<100 { executor.sync("block") {} }
    let seen = executor.meter.snapshot
    #expect(seen.blocks == 100)
    #expect(seen.running == nil)
    #expect(seen.wallTime.maximum >= seen.processorTime.median)
    #expect(executor.sync("asked") { executor.meter.snapshot.running?.name } == "asked")
  }
}

@WorkQueue private final class Counter: Sendable {
  var count = 0
  nonisolated init() {}
}
