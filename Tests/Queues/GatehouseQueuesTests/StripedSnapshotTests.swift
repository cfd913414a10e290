import Dispatch
import GatehouseQueues
import Testing

struct StripedSnapshotTests {
  @Test func `every thread sees a value that was put in place`() {
    let snapshot = StripedSnapshot { 0 }
    for value in 1...10 {
      snapshot.replace { value }
      DispatchQueue.concurrentPerform(iterations: 64) { _ in #expect(snapshot.value == value) }
    }
  }

  @Test func `no thread sees an earlier value after a later one`() {
    let snapshot = StripedSnapshot { 0 }
    let writer = DispatchQueue(label: "test.writer")
    writer.async { for value in 1...2000 { snapshot.replace { value } } }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      var last = 0
      for _ in 0..<5000 {
        let value = snapshot.value
        #expect(value >= last)
        last = value
      }
    }
    writer.sync {}
    #expect(snapshot.value == 2000)
  }

  @Test func `of two writers at once the one that began last prevails everywhere`() {
    let snapshot = StripedSnapshot { 0 }
    var calls = 0
    snapshot.replace {
      calls += 1
      if calls == 2 { snapshot.replace { 2 } }
      return 1
    }
    DispatchQueue.concurrentPerform(iterations: 64) { _ in #expect(snapshot.value == 2) }
  }

  @Test func `of many writers at once one prevails everywhere`() {
    let snapshot = StripedSnapshot { 0 }
    DispatchQueue.concurrentPerform(iterations: 8) { writer in
      for round in 1...100 { snapshot.replace { writer * 1000 + round } }
    }
    let seen = Lock<Set<Int>>([])
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let value = snapshot.value
      seen.withLock { _ = $0.insert(value) }
    }
    #expect(seen.withLock { $0.count } == 1)
  }

  @Test func `each place has a copy of its own, and lets it go when it is replaced`() {
    final class Counted: Sendable {
      static let alive = Lock(0)
      init() { Self.alive.withLock { $0 += 1 } }
      deinit { Self.alive.withLock { $0 -= 1 } }
    }
    let snapshot = StripedSnapshot { Counted() }
    let places = Counted.alive.withLock { $0 }
    #expect(places > 1)
    snapshot.replace { Counted() }
    #expect(Counted.alive.withLock { $0 } == places)
    #expect(snapshot.value === snapshot.value)
  }
}
