import GatehouseBase
import GatehouseQueues
import Testing

struct FIFOTests {
  @Test func `elements come out in the order in which they went in, however the two take turns`() {
    var line = FIFO<Int>()
    var next = 0
    var expected = 0
    for round in 0..<200 {
      for _ in 0..<(round * 7 % 50) {
        line.append(next)
        next += 1
      }
      for _ in 0..<(round * 11 % 47) where line.count > 0 {
        #expect(line.popFirst() == expected)
        expected += 1
      }
      #expect(line.count == next - expected)
    }
    while let number = line.popFirst() {
      #expect(number == expected)
      expected += 1
    }
    #expect(expected == next && line.count == 0)
  }

  @Test func `an element is released when it has been taken`() {
    final class Element {}
    var line = FIFO<Element>()
    weak var first: Element?
    do {
      let element = Element()
      first = element
      line.append(element)
      line.append(Element())
    }
    #expect(first != nil)
    _ = line.popFirst()
    #expect(first == nil)
  }

  @Test func `a fair queue loses nothing and keeps the order of each party`() {
    var seed: UInt64 = 7
    func draw(_ count: UInt64) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1
      return Int((seed >> 33) % count)
    }
    var line = FairFIFO<Int, (party: Int, number: Int)>()
    var sent = [Int](repeating: 0, count: 5), taken = [Int](repeating: 0, count: 5)
    for _ in 0..<5000 {
      if draw(3) > 0 {
        let party = draw(5)
        line.append((party, sent[party]), for: party)
        sent[party] += 1
      } else if let next = line.popFirst() {
        #expect(next.number == taken[next.party])
        taken[next.party] += 1
      }
    }
    while let next = line.popFirst() {
      #expect(next.number == taken[next.party])
      taken[next.party] += 1
    }
    #expect(taken == sent)
  }

  @Test func `taking the first does not move the others`() {
    var line = FIFO<Int>()
    let begin = SystemTime.thread
    for number in 0..<500_000 { line.append(number) }
    var sum = 0
    while let number = line.popFirst() { sum += number }
    #expect(sum == 500_000 * 499_999 / 2)
    // Processor time. With `removeFirst`, which moves megabytes each time, it took 31 seconds.
    #expect(SystemTime.thread - begin < 10_000_000_000)
  }
}
