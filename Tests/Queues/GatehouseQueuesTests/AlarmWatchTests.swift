import GatehouseQueues
import HangGuard
import Testing

/// Alarms that clocks have not taken.
@Suite(.endsIfItHangs) struct AlarmWatchTests {
  @Test func `many alarms have one timer, and an alarm that was taken leaves nothing`() {
    let watch = AlarmWatch()
    let numbers = (0..<100).map { number in watch.add(after: 3600 + Double(number % 7)) {} }
    #expect(watch.counts.alarms == 100 && watch.counts.timers == 1)
    for number in numbers { watch.remove(number) }
    #expect(watch.counts.alarms == 0)
    for _ in 0..<100 { watch.remove(watch.add(after: 7200) {}) }
    #expect(watch.counts.alarms == 0 && watch.counts.timers == 1)
  }

  @Test func `each alarm rings once, also one that comes after another and is due before`() async {
    let watch = AlarmWatch(), rung = Lock([Int]())
    for (index, seconds) in [3600, 0.02, -1, 0, 0.01, .infinity].enumerated() {
      _ = watch.add(after: seconds) { rung.withLock { $0.append(index) } }
    }
    while rung.withLock({ $0.count }) < 4 { await Task.yield() }
    #expect(Set(rung.withLock { $0 }) == [1, 2, 3, 4])
    #expect(watch.counts.alarms == 2)
  }

  @Test func `an alarm that was removed does not ring, and those beside it do`() async {
    let watch = AlarmWatch(), rung = Lock([String]())
    _ = watch.add(after: 0) {
      // No alarm rings while another one does.
      watch.remove(watch.add(after: 0) { rung.withLock { $0.append("removed") } })
      _ = watch.add(after: 0) { rung.withLock { $0.append("stays") } }
    }
    while rung.withLock({ $0.isEmpty }) { await Task.yield() }
    #expect(rung.withLock { $0 } == ["stays"] && watch.counts.alarms == 0)
  }
}
