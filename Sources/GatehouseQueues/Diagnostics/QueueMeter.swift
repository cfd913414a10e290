package import GatehouseBase

/// Measures every block that runs on a queue: how long it waited, how long it ran, and what runs now.
///
/// A block that runs in place inside another is part of that one. The lock is held for a few stores only, so that
/// a snapshot can be taken while a block runs.
package final class QueueMeter: Sendable {
  private struct State: Sendable {
    var processor = Histogram()
    var wall = Histogram()
    var wait = Histogram()
    var running: (name: StaticString, since: Int64)?
    var slowest: (name: StaticString, processor: Int64)?
    var callsInPlace: UInt64 = 0
  }

  private let label: String
  private let state = Lock(State())

  package init(label: String) { self.label = label }

  /// Runs a block that was queued at `queued` (monotonic nanoseconds) and measures it.
  package func measure<Result, Failure: Error>(
    _ name: StaticString, queuedAt queued: Int64, _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begin = SystemTime.monotonic
    let nested = state.withLock { state in
      guard state.running == nil else { return true }
      state.running = (name, begin)
      return false
    }
    guard !nested else { return try block() }
    let processorAtBegin = SystemTime.thread
    defer {
      let processor = SystemTime.thread - processorAtBegin
      let end = SystemTime.monotonic
      state.withLock { state in
        state.running = nil
        state.processor.record(processor)
        state.wall.record(end - begin)
        state.wait.record(begin - queued)
        if processor > state.slowest?.processor ?? 0 { state.slowest = (name, processor) }
      }
    }
    return try block()
  }

  /// Counts a synchronous call that was made on the queue itself.
  package func noteCallInPlace() { state.withLock { $0.callsInPlace += 1 } }

  package var snapshot: QueueDiagnostics {
    let state = state.withLock { $0 }
    return QueueDiagnostics(
      label: label, blocks: state.processor.count,
      processorTime: state.processor.distribution, wallTime: state.wall.distribution,
      waitTime: state.wait.distribution,
      running: state.running.map {
        .init(name: "\($0.name)", duration: .nanoseconds(SystemTime.monotonic - $0.since))
      },
      slowestBlock: state.slowest.map { .init(name: "\($0.name)", duration: .nanoseconds($0.processor)) },
      callsInPlace: state.callsInPlace, slowWork: UInt64(SlowWork.timesSeen))
  }
}
