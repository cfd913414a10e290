import CGatehouseWaits
import Synchronization

/// A share of the pool's threads: the number that one backend or one store may hold at once. Parties that wait for a
/// thread take turns.
///
/// A call holds a thread only while its code runs or blocks there; a call that awaits holds none. If a call is
/// cancelled while it holds a thread, for instance because its deadline has passed, that thread is given up: another
/// one replaces it, up to `maximumStuck` threads.
package final class PoolShare: Sendable {
  private struct State: Sendable {
    /// The number of threads held by calls that are wanted.
    var busy = 0
    /// The number of threads held by calls that were given up.
    var stuck = 0
    /// The number of threads that each wanted call holds now.
    var held: [ObjectIdentifier: Int] = [:]
    var waiting = FairFIFO<String, Segment>()
  }

  /// A part of a call between two waits.
  private struct Segment: Sendable {
    let call: ForeignCall
    let run: @Sendable () -> Void
  }

  private let width: Int
  private let maximumStuck: Int
  private let pool: WorkerPool
  private let state = Lock(State())

  /// - Parameters:
  ///   - width: the maximum number of threads that wanted calls hold at once.
  ///   - maximumStuck: the maximum number of further threads, held by calls that were given up.
  package convenience init(width: Int, maximumStuck: Int = 12) {
    self.init(width: width, maximumStuck: maximumStuck, pool: .shared)
  }

  init(width: Int, maximumStuck: Int, pool: WorkerPool) {
    self.width = width
    self.maximumStuck = maximumStuck
    self.pool = pool
  }

  /// The numbers of threads that calls hold now: calls that are wanted, and calls that were given up.
  package var threads: (wanted: Int, stuck: Int) { state.withLock { ($0.busy, $0.stuck) } }

  /// The number of parts of calls that wait for a thread.
  package var waiting: Int { state.withLock { $0.waiting.count } }

  fileprivate func enqueue(_ call: ForeignCall, _ run: @escaping @Sendable () -> Void) {
    let segment = Segment(call: call, run: run)
    let (isStuck, next): (Bool, [Segment]) = state.withLock { state in
      // A call that was given up no longer counts against the width.
      if call.isGivenUp, state.stuck < maximumStuck {
        state.stuck += 1
        return (true, [segment])
      }
      state.waiting.append(segment, for: call.party)
      return (false, nextSegments(&state))
    }
    if isStuck { pool.noteStuck(1) }
    start(next)
  }

  /// Stops counting the threads that a call holds against the width, so that other calls may run.
  fileprivate func giveUp(_ call: ForeignCall) {
    let (count, next): (Int, [Segment]) = state.withLock { state in
      let count = min(state.held[ObjectIdentifier(call)] ?? 0, maximumStuck - state.stuck)
      guard count > 0 else { return (0, []) }
      release(count, of: call, &state)
      state.stuck += count
      return (count, nextSegments(&state))
    }
    if count > 0 { pool.noteStuck(count) }
    start(next)
  }

  private func ended(_ call: ForeignCall) {
    let (wasStuck, next): (Bool, [Segment]) = state.withLock { state in
      let wasStuck = (state.held[ObjectIdentifier(call)] ?? 0) == 0
      if wasStuck { state.stuck -= 1 } else { release(1, of: call, &state) }
      return (wasStuck, nextSegments(&state))
    }
    if wasStuck { pool.noteStuck(-1) }
    start(next)
  }

  private func release(_ count: Int, of call: ForeignCall, _ state: inout State) {
    state.busy -= count
    let rest = (state.held[ObjectIdentifier(call)] ?? 0) - count
    state.held[ObjectIdentifier(call)] = rest > 0 ? rest : nil
  }

  private func nextSegments(_ state: inout State) -> [Segment] {
    var next: [Segment] = []
    while state.busy < width, let segment = state.waiting.popFirst() {
      state.busy += 1
      state.held[ObjectIdentifier(segment.call), default: 0] += 1
      next.append(segment)
    }
    return next
  }

  private func start(_ segments: [Segment]) {
    for segment in segments {
      pool.async("foreign") { [self] in
        segment.run()
        ended(segment.call)
      }
    }
  }
}

/// One call of foreign code, which runs on its share of the pool's threads.
final class ForeignCall: TaskExecutor {
  private let share: PoolShare
  fileprivate let party: String
  private let givenUp = Atomic<Bool>(false)
  /// The test that the call belongs to.
  private let scope: UInt64

  init(on share: PoolShare, for party: String) {
    self.share = share
    self.party = party
    scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // `unsafe`: the runtime requires that the job runs exactly once, and it runs here.
    share.enqueue(self) { [self] in
      guard WaitMonitor.concerns(scope) else { return unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
      WaitMonitor.carrying(CarriedWork(scope: scope)) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// Gives up the call: its result is not wanted any more, and its threads do not count against its share.
  func giveUp() {
    givenUp.store(true, ordering: .relaxed)
    share.giveUp(self)
  }

  var isGivenUp: Bool { givenUp.load(ordering: .relaxed) }
}
