import GatehouseBase
import GatehouseDemo
import GatehouseTesting
import Synchronization
import Testing

/// Clocks that a test moves, beginning at 5000 s on the wall clock and 100 s on the boot clock.
struct MovedClocks: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let clocks: any Clocks
  let advance: @Sendable (_ seconds: Double) -> Void

  static var stage: Self {
    let clocks = StageClocks(wall: 5000, boot: 100)
    return Self(testDescription: "StageClocks", clocks: clocks) { clocks.advance(by: $0) }
  }

  static var manual: Self {
    let clocks = ManualClocks(wall: 5000, boot: 100)
    return Self(testDescription: "ManualClocks", clocks: clocks) { clocks.advance(by: $0) }
  }
}

/// What `Clocks` asks of every implementation, for the demo's clocks and for those that all other tests use.
struct StageClocksTests {
  /// Counts how often an alarm rings.
  private final class Bell: Sendable {
    private let count = Atomic(0)
    var rings: Int { count.load(ordering: .relaxed) }
    func ring() { count.add(1, ordering: .relaxed) }
  }

  private static var all: [MovedClocks] { [.stage, .manual] }

  @Test(arguments: all) func `time passes on both clocks, within one start of the machine`(moved: MovedClocks) {
    let before = moved.clocks.now()
    moved.advance(10)
    let now = moved.clocks.now()
    #expect((now.wall, now.boot, now.bootID) == (5010, 110, before.bootID))
    #expect(moved.clocks.wall == 5010)
  }

  @Test(arguments: all) func `an alarm rings once, when either clock reaches it, and not before`(moved: MovedClocks) {
    let (byBoot, byWall, never) = (Bell(), Bell(), Bell())
    _ = moved.clocks.wake(at: Alarm(boot: 110, wall: 9000)) { byBoot.ring() }
    _ = moved.clocks.wake(at: Alarm(boot: 900, wall: 5010)) { byWall.ring() }
    _ = moved.clocks.wake(at: Alarm(boot: .nan, wall: .nan)) { never.ring() }
    moved.advance(9)
    #expect([byBoot.rings, byWall.rings] == [0, 0])
    moved.advance(1)
    #expect([byBoot.rings, byWall.rings] == [1, 1])
    moved.advance(10_000)
    #expect([byBoot.rings, byWall.rings, never.rings] == [1, 1, 0])
  }

  @Test(arguments: all) func `an alarm that is reached already rings at once`(moved: MovedClocks) {
    let bell = Bell()
    _ = moved.clocks.wake(at: Alarm(boot: 100)) { bell.ring() }
    _ = moved.clocks.wake(at: Alarm(boot: 900, wall: 5000)) { bell.ring() }
    #expect(bell.rings == 2)
    moved.advance(1)
    #expect(bell.rings == 2)
  }

  @Test(arguments: all) func `a cancelled alarm does not ring`(moved: MovedClocks) {
    let bell = Bell()
    let cancellation = moved.clocks.wake(at: Alarm(boot: 110)) { bell.ring() }
    cancellation.cancel()
    cancellation.cancel()
    moved.advance(10)
    #expect(bell.rings == 0)
  }

  @Test(arguments: all) func `an alarm may set the next one, and cancel itself`(moved: MovedClocks) {
    let bell = Bell()
    _ = moved.clocks.wake(at: Alarm(boot: 110)) {
      moved.clocks.wake(at: Alarm(boot: 110)) { bell.ring() }.cancel()
      _ = moved.clocks.wake(at: Alarm(boot: 120)) { bell.ring() }
    }
    moved.advance(10)
    #expect(bell.rings == 1)
    moved.advance(10)
    #expect(bell.rings == 2)
  }

  @Test(arguments: all) func `a sleeper wakes when its alarm is reached, or its task is cancelled`(
    moved: MovedClocks
  ) async {
    let early = Task { await moved.clocks.sleep(until: Alarm(boot: .infinity)) }
    early.cancel()
    await early.value
    let sleeper = Task { await moved.clocks.sleep(until: Alarm(boot: 110)) }
    moved.advance(10)
    await sleeper.value
  }

  /// Of alarms that are set and cancelled while the clocks move, each rings once or not at all.
  @Test(arguments: all) func `of a thousand sleepers, cancelled and woken at once, none is forgotten`(
    moved: MovedClocks
  ) async {
    let sleepers = (0..<1000).map { number in
      Task { await moved.clocks.sleep(until: Alarm(boot: 101 + Double(number))) }
    }
    let canceller = Task { for sleeper in sleepers.reversed() { sleeper.cancel() } }
    for _ in 0..<1000 { moved.advance(1) }
    await canceller.value
    for sleeper in sleepers { await sleeper.value }
  }
}
