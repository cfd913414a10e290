import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Testing

/// Rule 7 for clocks: the app's clock, and the objects that it returns for an alarm, are never released on the work
/// queue.
struct TimekeeperTests {
  @Test(arguments: [true, false])
  func `an alarm that outlives its clock releases nothing of the app's on the work queue`(rings: Bool) async {
    let places = Places()
    let box = TakeOnce(ProbedClock(places))
    let manual = box.current?.manual
    let time = Timekeeper { box.current }
    var handle: Alarms.Handle? = await WorkQueue.run { time.after(5) {} }
    await manual?.waitForSleepers(1)
    _ = box.take()  // the app releases its clock
    if rings {
      manual?.advance(by: 5)
      await WorkQueue.run {}
    } else {
      let alarm = handle
      await WorkQueue.run { alarm?.cancel() }
    }
    handle = nil
    await places.wait(for: 2)
    #expect(places.onWorkQueue == 0)
  }

  @Test func `an alarm that is let go of is taken back`() async {
    let clock = ForgetfulClock()
    let time = Timekeeper { clock }
    await WorkQueue.run { _ = time.after(5) {} }
    while clock.cancelled == 0 { await Task.yield() }
    #expect(clock.cancelled == 1)
  }
}

extension WorkQueue {
  /// Runs a block on the work queue, and returns its result.
  fileprivate static func run<Value: Sendable>(_ body: @escaping @WorkQueue @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in WorkQueue.async { done.resume(returning: body()) } }
  }
}

/// Counts releases, in total and on the work queue.
private final class Places: Sendable {
  private let count = Lock((all: 0, onWorkQueue: 0))

  func note() {
    let isOnWorkQueue = WorkQueue.executor.isCurrent
    count.withLock {
      $0.all += 1
      if isOnWorkQueue { $0.onWorkQueue += 1 }
    }
  }

  var onWorkQueue: Int { count.withLock { $0.onWorkQueue } }
  func wait(for wanted: Int) async { while count.withLock({ $0.all }) < wanted { await Task.yield() } }
}

private final class Probe: Sendable {
  let places: Places
  init(_ places: Places) { self.places = places }
  deinit { places.note() }
}

/// A clock that is one of the app's objects, as are the values that it returns for an alarm.
private final class ProbedClock: Clocks {
  let manual = ManualClocks()
  private let probe: Probe

  init(_ places: Places) { probe = Probe(places) }

  func now() -> ClockReading { manual.now() }

  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let inner = manual.wake(at: alarm, body)
    return AlarmCancellation { [probe = Probe(probe.places)] in withExtendedLifetime(probe) { inner.cancel() } }
  }
}

/// A clock that does not keep the bodies of its alarms, and counts cancellations.
private final class ForgetfulClock: Clocks {
  private let count = Lock(0)
  var cancelled: Int { count.withLock { $0 } }

  func now() -> ClockReading { ClockReading(wall: 1_800_000_000, boot: 1_000, bootID: "test") }

  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    AlarmCancellation { [count] in count.withLock { $0 += 1 } }
  }
}
