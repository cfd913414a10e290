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
