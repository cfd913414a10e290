import GatehouseQueues
import Testing

/// The line of known parties, and the bounded one of strangers.
struct GuardedLineTests {
  private func drained(_ line: consuming GuardedLine<String, String>) -> [String] {
    var elements: [String] = []
    while let element = line.popFirst() { elements.append(element) }
    return elements
  }

  @Test func `a known party waits for one stranger's turn at most, however many wait`() {
    for before in 0...3 {
      var line = GuardedLine<String, String>(mostStrangers: 100)
      for number in 0..<50 { #expect(line.append("s\(number)", forStranger: "s\(number)") == nil) }
      for _ in 0..<before { _ = line.popFirst() }
      line.append("k", for: "k")
      #expect(drained(line).prefix(2).contains("k"))
    }
  }

  @Test func `the two lines take turns, and a line that is empty gives its turns away`() {
    var line = GuardedLine<String, String>()
    for number in 0..<4 {
      line.append("k\(number)", for: "k")
      _ = line.append("s\(number)", forStranger: "s")
    }
    for number in 4..<6 { line.append("k\(number)", for: "k") }
    #expect(drained(line) == ["k0", "s0", "k1", "s1", "k2", "s2", "k3", "s3", "k4", "k5"])
  }

  @Test func `the strangers' line has an end, and the other one has none`() {
    var line = GuardedLine<String, String>(mostStrangers: 3)
    for party in ["a", "b", "c"] { #expect(line.append(party, forStranger: party) == nil) }
    #expect(line.append("d", forStranger: "d") == "d")
    #expect(line.append("a2", forStranger: "a") == "a2")
    for number in 0..<10 { line.append("k\(number)", for: "k") }
    #expect(line.counts == (known: 10, strangers: 3))
    #expect(drained(line).filter { !$0.hasPrefix("k") } == ["a", "b", "c"])
  }

  @Test func `who fills the strangers' line gives room to others, down to an equal share`() {
    var line = GuardedLine<String, String>(mostStrangers: 4)
    for number in 0..<4 { #expect(line.append("a\(number)", forStranger: "a") == nil) }
    #expect(line.append("a4", forStranger: "a") == "a4")
    #expect(line.append("b0", forStranger: "b") == "a3")
    #expect(line.append("c0", forStranger: "c") == "a2")
    #expect(line.append("b1", forStranger: "b") == "b1", "a has two as b would have")
    #expect(line.append("d0", forStranger: "d") == "a1")
    #expect(line.append("e0", forStranger: "e") == "e0")
    #expect(drained(line) == ["a0", "b0", "c0", "d0"])
  }
}
