import GatehouseSchedules
import Testing

/// The text form of a schedule.
struct ScheduleStringTests {
  @Test(arguments: [
    [], [1], [0, 0, 1], [3, 0, 0, 0, 1, 1], [0, 17], [16, 255, 0, 4_096], Array(repeating: 0, count: 300) + [2],
  ])
  func `what was picked comes back`(picks: [Int]) {
    #expect(ScheduleString.decode(ScheduleString.encode(picks)) == picks)
  }

  @Test func `plain picks at the end are not written`() {
    #expect(ScheduleString.encode([0, 2, 0, 0]) == "11")
    #expect(ScheduleString.encode([0, 0]) == "-")
    #expect(ScheduleString.decode("11") == [0, 2])
  }

  @Test(arguments: ["", "0", "000", "u0", "i0", "0A", "g", "0g", "é0", "zzzzzzzzzzzz0", "zzzzzz00"])
  func `what is no schedule is refused`(text: String) {
    #expect(ScheduleString.decode(text) == nil)
  }
}
