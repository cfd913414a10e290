import Dispatch
import GatehouseBase
import Testing

@testable import GatehouseQueues

/// Blocks wait in a line of their own, so that a look need not wait for all of them.
@Suite struct PortionedLineTests {
  private let queue = DispatchQueue(label: "test.line")

  @Test func `blocks run once and in order, however they come`() async {
    let line = PortionedLine(on: queue)
    let seen = Lock<[Int]>([])
    await withCheckedContinuation { done in
      for number in 0..<500 {
        line.append {
          seen.withLock { $0.append(number) }
          if number == 499 { line.append { done.resume() } }
        }
      }
    }
    #expect(seen.withLock { $0 } == Array(0..<500))
  }

  @Test func `what is put on the queue has its turn after a portion of the line`() async {
    let line = PortionedLine(on: queue)
    let count = Lock(0)
    queue.suspend()
    for _ in 0..<1_000 { line.append { count.withLock { $0 += 1 } } }
    let seen = await withCheckedContinuation { seen in
      queue.async { seen.resume(returning: count.withLock { $0 }) }
      queue.resume()
    }
    #expect(seen == 32)
  }

  @Test func `a place is reached when the blocks up to it have run`() {
    let line = PortionedLine(on: queue)
    queue.suspend()
    for _ in 0..<40 { line.append {} }
    let end = line.end
    #expect(!line.hasRun(end) && line.hasRun(0))
    line.append {}
    queue.resume()
    while !queue.sync(execute: { line.hasRun(end) }) {}
    #expect(line.end == end + 1)
  }

  @Test func `a call in line waits for all before it, and an overtaking one for a portion`() async {
    let executor = SerialQueueExecutor(label: "test.executor", inPortions: true)
    let count = Lock(0)
    // Dispatch's own, unseen by the wait monitor: they only say when to go on.
    let isHeld = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
    executor.async("hold") {
      isHeld.signal()
      goesOn.wait()
    }
    isHeld.wait()
    for _ in 0..<1_000 { executor.async("call") { count.withLock { $0 += 1 } } }
    goesOn.signal()
    let overtaking = executor.sync("look", order: .overtaking) { count.withLock { $0 } }
    let inLine = executor.sync("change") { count.withLock { $0 } }
    #expect(inLine == 1_000)
    #expect(overtaking <= 1_000)
  }
}
