import GatehouseBase
import Testing

struct AlarmTests {
  private func reading(wall: Double, boot: Double) -> ClockReading {
    ClockReading(wall: wall, boot: boot, bootID: "boot-1")
  }

  @Test func `an alarm rings on whichever clock comes first`() {
    let alarm = Alarm(boot: 100, wall: 5000)
    #expect(!alarm.isReached(at: reading(wall: 4999, boot: 99)))
    #expect(alarm.isReached(at: reading(wall: 0, boot: 100)))
    #expect(alarm.isReached(at: reading(wall: 5000, boot: 0)))
  }

  @Test func `a timeout does not ring because the wall clock was set`() {
    let timeout = Alarm(boot: 100)
    #expect(!timeout.isReached(at: reading(wall: .infinity, boot: 99.9)))
    #expect(timeout.isReached(at: reading(wall: 0, boot: 100)))
  }
}
