import GatehouseBase
import Testing

struct ClockReadingTests {
  private let then = ClockReading(wall: 1_800_000_000, boot: 5000, bootID: "boot-1")

  @Test func `an age is the longer of what two clocks say`() {
    #expect(then.elapsed(since: then) == 0)
    #expect(then.advanced(by: 10).elapsed(since: then) == 10)
    #expect(ClockReading(wall: then.wall + 3610, boot: 5010, bootID: "boot-1").elapsed(since: then) == 3610)
    #expect(ClockReading(wall: then.wall - 3600, boot: 5010, bootID: "boot-1").elapsed(since: then) == 10)
  }

  @Test func `after a restart the wall clock alone tells the age`() {
    #expect(ClockReading(wall: then.wall + 60, boot: 3, bootID: "boot-2").elapsed(since: then) == 60)
    #expect(ClockReading(wall: then.wall, boot: 9_999_999, bootID: "boot-2").elapsed(since: then) == 0)
  }

  @Test func `after a restart with an earlier wall clock every age is infinite`() {
    #expect(ClockReading(wall: then.wall - 1, boot: 3, bootID: "boot-2").elapsed(since: then) == .infinity)
  }

  @Test func `both clocks are advanced`() {
    #expect(then.advanced(by: 1.5) == ClockReading(wall: then.wall + 1.5, boot: 5001.5, bootID: "boot-1"))
  }
}
