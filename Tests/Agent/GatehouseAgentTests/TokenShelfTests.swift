import GatehouseAgent
import Testing

/// Tokens lie in slots, which others take after them.
struct TokenShelfTests {
  @Test(arguments: [1, 2, 3]) func `each text is as it was put, whatever comes and goes`(seed: UInt64) {
    var random = Steps(seed: seed)
    var shelf = TokenShelf()
    var kept: [(place: TokenShelf.Place, text: String)] = []
    for number in 0..<3000 {
      if kept.isEmpty || random.next() % 3 > 0 {
        let length = Int(random.next() % [80, 1000, 70_000][number % 97 == 0 ? 2 : number % 2])
        let text = String(repeating: "\(number % 10)", count: length) + (number.isMultiple(of: 50) ? "é" : "")
        kept.append((shelf.put(text), text))
      } else {
        shelf.remove(kept.remove(at: Int(random.next() % UInt64(kept.count))).place)
      }
      if number.isMultiple(of: 100) { #expect(kept.allSatisfy { shelf.text(at: $0.place) == $0.text }) }
    }
    #expect(Set(kept.map(\.place)).count == kept.count)
    for (place, text) in kept {
      #expect(shelf.text(at: place) == text)
      shelf.remove(place)
    }
    #expect(shelf.isEmpty)
  }

  @Test func `a slot that is free is used again, and is empty until then`() {
    var shelf = TokenShelf()
    let stays = shelf.put("a")
    let first = shelf.put("secret")
    shelf.remove(first)
    #expect(shelf.text(at: first) == String(repeating: "\0", count: 6))
    #expect(shelf.put("sesame") == first)
    #expect(shelf.text(at: stays) == "a" && shelf.text(at: first) == "sesame")
  }

  private struct Steps: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
