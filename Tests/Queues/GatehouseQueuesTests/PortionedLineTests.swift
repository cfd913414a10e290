import Dispatch
import GatehouseBase
import HangGuard
import Testing

@testable import GatehouseQueues

/// Blocks wait in a separate line, so that a look does not have to wait for all of them.
struct PortionedLineTests {
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
    let seen = await withCheckedContinuation { seen in
      line.append { [queue] in queue.async { seen.resume(returning: count.withLock { $0 }) } }
      for _ in 0..<1_000 { line.append { count.withLock { $0 += 1 } } }
      queue.resume()
    }
    #expect(seen == 31)
  }

  @Test func `a call in line waits for all before it, and an overtaking one for a portion`() async {
    let executor = SerialQueueExecutor(label: "test.executor", inPortions: true)
    let count = Lock(0)
    // Dispatch's own, invisible to the wait monitor: they only signal when to continue.
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

  @Test func `deferred work is done when the portion has ended, its blocks are released and the queue is free`() async {
    let line = PortionedLine(on: queue)
    let seen = Lock<[String]>([])
    queue.suspend()
    await withCheckedContinuation { done in
      do {
        let captured = Witness { seen.withLock { $0.append("released") } }
        line.append { [queue] in
          _ = captured
          let isDeferred = line.whenFree {
            queue.sync { seen.withLock { $0.append("deferred") } }  // stops the process if it runs on the queue
            done.resume()
          }
          seen.withLock { $0.append("deferred: \(isDeferred)") }
        }
      }
      line.append { seen.withLock { $0.append("second block") } }
      queue.resume()
    }
    #expect(seen.withLock { $0 } == ["deferred: true", "released", "second block", "deferred"])
    #expect(!line.whenFree {})
  }

  @Test(arguments: [1, 3, PortionedLine.maximumServers + 4])
  func `deferred work that blocks delays no block, no call and no other deferred work`(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in
      endIfItHangs()
      let executor = SerialQueueExecutor(label: "test.executor", inPortions: true)
      // Dispatch's own, invisible to the wait monitor: they only signal when to continue.
      let isBlocked = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
      executor.queue.suspend()
      for _ in 0..<count {
        executor.async("call") {
          executor.whenFree("block") {
            isBlocked.signal()
            goesOn.wait()
          }
        }
      }
      executor.queue.resume()
      for _ in 0..<count { isBlocked.wait() }  // in one portion, and yet no block waits for another
      for _ in 0..<3 {
        executor.sync("look", order: .overtaking) {}
        executor.sync("change") {}
        await withCheckedContinuation { done in
          executor.async("call") { executor.whenFree("resume") { done.resume() } }
        }
      }
      for _ in 0..<count { goesOn.signal() }
    }
  }

  @Test func `an executor without a line defers work too`() async {
    let executor = SerialQueueExecutor(label: "test.executor")
    await withCheckedContinuation { done in
      executor.async("call") {
        executor.whenFree("resume") { executor.sync("look") { done.resume() } }
      }
    }
  }

  @Test func `under a scheduler deferred work is a step`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let steps = HandTurnedSteps()
      let executor = SerialQueueExecutor(label: "test.executor", inPortions: true)
      let isDone = Lock(false)
      executor.async("call") { executor.whenFree("resume") { isDone.withLock { $0 = true } } }
      steps.runNext()
      #expect(isDone.withLock { $0 } == false)
      steps.runNext()
      #expect(isDone.withLock { $0 })
    }
  }
}

/// Reports its release.
private final class Witness: Sendable {
  private let onRelease: @Sendable () -> Void
  init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
  deinit { onRelease() }
}
