import Dispatch
import GatehouseBase
import Testing

@testable import GatehouseQueues

/// Threads that are blocked by foreign code are replaced, up to a limit.
struct WorkerPoolTests {
  /// Work that blocks its thread until it is released.
  private final class Blockers: Sendable {
    // Blocks a thread on purpose: the pool must survive that.
    private let goesOn = DispatchSemaphore(value: 0)
    private let begun = Lock(0)

    func block() {
      begun.withLock { $0 += 1 }
      goesOn.wait()
    }

    var count: Int { begun.withLock { $0 } }

    func waitForCount(_ wanted: Int) async {
      while count < wanted { await Task.yield() }
    }

    func release(_ count: Int) {
      for _ in 0..<count { goesOn.signal() }
    }
  }

  @Test func `threads that are late at their work do not keep others from theirs, up to the limit`() async {
    let pool = WorkerPool(name: "test.pool", width: 2, maximumStuck: 3, patience: .seconds(100_000))
    let blockers = Blockers()
    for _ in 0..<7 { pool.async("block") { blockers.block() } }
    await blockers.waitForCount(2)
    pool.relieve(since: .now - .seconds(1_000))
    #expect(pool.threads == 2, "nothing is late yet")
    pool.relieve(since: .now)
    await blockers.waitForCount(4)
    #expect(pool.threads == 4, "one more for each that is late")
    pool.relieve(since: .now)
    await blockers.waitForCount(5)
    pool.relieve(since: .now)
    #expect(pool.threads == 5, "two, and three that may be stuck")
    blockers.release(5)
    await blockers.waitForCount(7)
    blockers.release(2)
  }

  @Test func `a thread that has ended its work is late no more`() async {
    let pool = WorkerPool(name: "test.pool", width: 1, maximumStuck: 1, patience: .seconds(100_000))
    let blockers = Blockers()
    pool.async("block") { blockers.block() }
    await blockers.waitForCount(1)
    pool.async("block") { blockers.block() }
    pool.relieve(since: .now)
    await blockers.waitForCount(2)
    blockers.release(2)
    await withCheckedContinuation { done in pool.async("end") { done.resume() } }
    for _ in 0..<3 { pool.async("block") { blockers.block() } }
    await blockers.waitForCount(2 + 1)
    #expect(pool.threads <= 2)
    blockers.release(3)
    await blockers.waitForCount(5)
  }

  @Test func `the pool looks for late threads by itself while work is in line`() async {
    let pool = WorkerPool(name: "test.pool", width: 1, maximumStuck: 2, patience: .milliseconds(1))
    let blockers = Blockers()
    for _ in 0..<3 { pool.async("block") { blockers.block() } }
    await blockers.waitForCount(3)
    blockers.release(3)
  }

  @Test func `an idle thread holds nothing of the work that it has done`() async {
    final class Held: Sendable {
      let released: @Sendable () -> Void
      init(_ released: @escaping @Sendable () -> Void) { self.released = released }
      deinit { released() }
    }
    let pool = WorkerPool(name: "test.pool", width: 1)
    for _ in 0..<2 {
      // An idle thread would release it at its end, when it is no longer counted.
      let threads = await withCheckedContinuation { done in
        let held = Held { done.resume(returning: pool.threads) }
        pool.async("hold") { _ = held }
      }
      #expect(threads == 1)
    }
  }
}
