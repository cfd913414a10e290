import Foundation
import GatehouseBase
import HangGuard
import Testing

struct SystemClocksTests {
  private let clocks = SystemClocks()

  @Test func `the clocks show the machine's time`() throws {
    let (before, now, after) = (Date().timeIntervalSince1970, clocks.now(), Date().timeIntervalSince1970)
    #expect(now.wall >= before - 1 && now.wall <= after + 1)
    let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ").first ?? ""
    #expect(now.boot > 0)
    #expect(abs(now.boot - (Double(uptime) ?? 0)) < 60)
    #expect(now.bootID.count == 36)
  }

  @Test func `the boot clock never runs backwards`() {
    var last = clocks.now().boot
    for _ in 0..<1000 {
      let now = clocks.now().boot
      #expect(now >= last)
      last = now
    }
  }

  @Test func `a sleep whose alarm is reached ends at once`() async {
    let now = clocks.now()
    await clocks.sleep(until: Alarm(boot: now.boot))
    await clocks.sleep(until: Alarm(boot: now.boot + 3600, wall: now.wall))
  }

  @Test func `a sleep ends when its alarm is reached, and not before`() async {
    let alarm = Alarm(boot: clocks.now().boot + 0.02)
    await clocks.sleep(until: alarm)
    #expect(alarm.isReached(at: clocks.now()))
  }

  @Test(.endsIfItHangs)
  func `cancelling ends a sleep early`() async {
    let alarm = Alarm(boot: clocks.now().boot + 3600)
    let sleeper = Task { [clocks] in await clocks.sleep(until: alarm) }
    sleeper.cancel()
    await sleeper.value
    #expect(!alarm.isReached(at: clocks.now()))
  }
}
