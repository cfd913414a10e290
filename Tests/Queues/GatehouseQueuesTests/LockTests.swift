import Dispatch
import GatehouseQueues
import Synchronization
import Testing

struct LockTests {
  @Test func `one at a time changes the value`() {
    let count = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { count.withLock { $0 += 1 } }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  /// The thread sanitizer reports a race here if the value has no place in memory.
  @Test func `a lock may hold nothing`() {
    let line = Lock(())
    let count = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { line.withLock { _ in _ = count.add(1, ordering: .relaxed) } }
    }
    #expect(count.load(ordering: .relaxed) == 8000)
  }

  @Test func `an error leaves the lock free`() {
    struct Refused: Error {}
    let count = Lock(0)
    #expect(throws: Refused.self) { try count.withLock { _ in throw Refused() } }
    #expect(count.withLock { $0 } == 0)
  }

  @Test func `a value is taken once, by one of many`() {
    let box = TakeOnce(1)
    let taken = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      if box.take() != nil { taken.withLock { $0 += 1 } }
    }
    #expect(taken.withLock { $0 } == 1)
  }
}
