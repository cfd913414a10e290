import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

struct `A replay store in memory` {
  @Test func `answers once that a use was the first (group 20)`() throws {
    let store = MemoryReplayStore()
    #expect(try store.recordFirstUse(of: [1], until: 60, at: 0))
    #expect(try !store.recordFirstUse(of: [1], until: 60, at: 0))
    #expect(try !store.recordFirstUse(of: [1], until: 600, at: 59.9))
    #expect(try store.recordFirstUse(of: [2], until: 60, at: 0))
    #expect(store.count == 2)
  }

  @Test(arguments: [.nan, .infinity, -.infinity] as [Double])
  func `refuses a moment that is no number, at which every use would be the first`(moment: Double) throws {
    let store = MemoryReplayStore()
    for _ in 0..<2 {
      do {
        _ = try store.recordFirstUse(of: [1], until: 60, at: moment)
        Issue.record("a use at \(moment) was recorded")
      } catch { #expect(error.code == .invalidArgument) }
    }
    let error = #expect(throws: AuthError.self) { try store.recordFirstUse(of: [1], until: .nan, at: 0) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `of two uses at once has one first (group 20)`() async throws {
    let store = MemoryReplayStore()
    let firsts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask { try (0..<200).count { try store.recordFirstUse(of: [UInt8($0)], until: 60, at: 0) } }
      }
      return try await group.reduce(0, +)
    }
    #expect(firsts == 200)
    #expect(store.count == 200)
  }

  @Test func `forgets what is over, a minute late (group 20)`() throws {
    let clocks = ManualClocks(wall: 0)
    let store = MemoryReplayStore(clocks: clocks)
    for name in 0..<100 as Range<UInt8> { #expect(try store.recordFirstUse(of: [name], until: 60, at: 0)) }
    clocks.advance(by: 119.9)
    #expect(try store.recordFirstUse(of: [200], until: 200, at: 119.9))
    #expect(store.count == 101)
    clocks.advance(by: 10)
    #expect(try store.recordFirstUse(of: [201], until: 200, at: 129.9))
    #expect(store.count == 2)
  }

  @Test func `lets nothing in twice when the clock is set back by less than a minute (group 20)`() throws {
    let store = MemoryReplayStore()
    #expect(try store.recordFirstUse(of: [1], until: 60, at: 0))
    #expect(try store.recordFirstUse(of: [2], until: 200, at: 110))
    #expect(try !store.recordFirstUse(of: [1], until: 60, at: 55))
  }

  @Test func `forgets nothing while the wall clock is wrong for a moment, and all when both clocks say so (group 20)`()
    throws
  {
    let clocks = ManualClocks(wall: 0)
    let store = MemoryReplayStore(clocks: clocks)
    #expect(try store.recordFirstUse(of: [1], until: 60, at: 0))
    for wrong in [1e9, 1e18] {
      #expect(try store.recordFirstUse(of: [2], until: wrong + 60, at: wrong) == (wrong == 1e9))
      #expect(try !store.recordFirstUse(of: [1], until: 60, at: 20))
    }
    clocks.advance(by: 119)
    #expect(try store.recordFirstUse(of: [3], until: 1e9 + 200, at: 1e9 + 140) && store.count == 3)
    clocks.advance(by: 20)
    #expect(try store.recordFirstUse(of: [4], until: 1e9 + 200, at: 1e9 + 160) && store.count == 2)
  }

  @Test func `throws when it is full, and forgets nothing to make room (group 20)`() throws {
    let clocks = ManualClocks(wall: 0)
    let store = MemoryReplayStore(maximumCount: 2, clocks: clocks)
    func refusal(_ name: UInt8, at now: Double) -> AuthError.Code? {
      clocks.setBoot(.seconds(now))
      return TestSupport.refusal {
        try store.recordFirstUse(of: [name], until: now + 60, at: now)
      }
    }
    #expect(refusal(1, at: 0) == nil)
    #expect(refusal(2, at: 1) == nil)
    #expect(refusal(3, at: 2) == .replayStoreFull)
    #expect(refusal(3, at: 119) == .replayStoreFull)
    #expect(try !store.recordFirstUse(of: [1], until: 60, at: 2))
    #expect(refusal(3, at: 120.5) == nil)
    #expect(refusal(4, at: 121.6) == nil)
    #expect(store.count == 2)
    #expect(MemoryReplayStore(maximumCount: -1).maximumCount == 1)
  }
}
