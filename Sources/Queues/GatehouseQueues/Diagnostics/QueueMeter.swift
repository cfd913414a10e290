import CGatehouseWaits
package import GatehouseBase
import GatehouseWaits
import Synchronization

/// Measures every block that runs on a queue: its wait, its run time, and which block runs now.
///
/// Reading a thread's processor time costs more than most blocks do, so it is read for every 128th block, and in strict
/// mode or with the wait monitor on for every one. A block that runs in place inside another is part of that one. The
/// lock is held for a few stores only, so that a snapshot can be taken while a block runs.
package final class QueueMeter: Sendable {
  private struct State: Sendable {
    var blocks: UInt64 = 0
    var processor = Histogram()
    var wall = Histogram()
    var wait = Histogram()
    var running: (name: StaticString, since: Int64)?
    var slowest: (name: StaticString, processor: Int64)?
    var callsInPlace: UInt64 = 0
  }

  /// A running block. Times are monotonic nanoseconds.
  package struct Run {
    fileprivate let name: StaticString
    fileprivate let queued, begin: Int64
    fileprivate var part = Part.timed
    fileprivate var processorAtBegin: Int64 = 0
    fileprivate var isWatched = false
    fileprivate var scopeBefore: UInt64 = 0
  }

  fileprivate enum Part { case nested, timed, sampled }

  private static let sampling: UInt64 = 128

  private let label: String
  private let state = UnwatchedLock(State())
  /// The queue's identity for the wait monitor.
  let identity: WaitIdentity

  init(label: String, _ identity: consuming WaitIdentity) {
    self.label = label
    self.identity = identity
  }

  package convenience init(label: String) {
    self.init(label: label, WaitIdentity(.queue, label: label, file: "a meter alone", line: 0))
  }

  /// Runs and measures a block that was queued at `queued` (monotonic nanoseconds). `scope` is its test; 0: none.
  package func measure<Result, Failure: Error>(
    _ name: StaticString, queuedAt queued: Int64, in scope: UInt64 = 0, _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let run = begin(name, queuedAt: queued, in: scope)
    defer { end(run) }
    return try block()
  }

  /// Begins to measure a block that was queued at `queued`.
  package func begin(_ name: StaticString, queuedAt queued: Int64, in scope: UInt64) -> Run {
    var run = Run(name: name, queued: queued, begin: SystemTime.monotonic)
    run.isWatched = WaitMonitor.concerns(scope)
    run.part = state.withLock { state in
      guard state.running == nil else { return .nested }
      state.running = (name, run.begin)
      state.blocks += 1
      return state.blocks % Self.sampling == 1 || StrictMode.isOn || run.isWatched ? .sampled : .timed
    }
    if run.isWatched {
      if run.part != .nested {
        run.scopeBefore = gw_scope()
        gw_enter(identity.thing())
      }
      gw_asked()
      if run.part != .nested { gw_set_scope(scope) }
    }
    if run.part == .sampled { run.processorAtBegin = SystemTime.thread }
    return run
  }

  /// Ends measuring a block.
  package func end(_ run: Run) {
    guard run.part != .nested else { return }
    let processor = run.part == .sampled ? SystemTime.thread - run.processorAtBegin : nil
    let end = SystemTime.monotonic
    state.withLock { state in
      state.running = nil
      state.wall.record(end - run.begin)
      state.wait.record(run.begin - run.queued)
      if let processor {
        state.processor.record(processor)
        if processor > state.slowest?.processor ?? 0 { state.slowest = (run.name, processor) }
      }
    }
    if QueueTrace.isOn.load(ordering: .relaxed) {
      QueueTrace.note(.init(queue: label, name: run.name, queued: run.queued, begin: run.begin, end: end))
    }
    if run.isWatched {
      gw_leave(identity.thing().instance)
      gw_set_scope(run.scopeBefore)
      if let processor { WaitMonitor.noteBlock(run.name, on: label, took: processor) }
    }
  }

  /// Counts a synchronous call that was made on the queue itself. Returns the name of the running block.
  package func noteCallInPlace() -> StaticString? {
    state.withLock { state in
      state.callsInPlace += 1
      return state.running?.name
    }
  }

  package var snapshot: QueueDiagnostics {
    let state = state.withLock { $0 }
    return QueueDiagnostics(
      label: label, blocks: state.blocks,
      processorTime: state.processor.distribution, wallTime: state.wall.distribution,
      waitTime: state.wait.distribution,
      running: state.running.map {
        .init(name: "\($0.name)", duration: .nanoseconds(SystemTime.monotonic - $0.since))
      },
      slowestBlock: state.slowest.map { .init(name: "\($0.name)", duration: .nanoseconds($0.processor)) },
      callsInPlace: state.callsInPlace, slowWork: UInt64(SlowWork.timesSeen))
  }
}
