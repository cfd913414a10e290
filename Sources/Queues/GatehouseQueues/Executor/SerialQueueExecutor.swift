import CGatehouseWaits
package import Dispatch
import GatehouseBase
import GatehouseWaits

/// A serial dispatch queue that actors can run on.
///
/// Blocks and an actor's jobs take turns on the one queue, in the order in which they were enqueued. Everything that
/// runs on it is measured. Usable from any thread.
///
///     actor Account {
///       static let executor = SerialQueueExecutor(label: "app.accounts")
///       nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
///       …
///     }
public final class SerialQueueExecutor: SerialExecutor {
  package let queue: DispatchQueue
  package let meter: QueueMeter
  /// The line in which blocks and jobs wait; `nil` if they wait in the dispatch queue itself.
  private let line: PortionedLine?
  private static let current = DispatchSpecificKey<ObjectIdentifier>()

  /// The queue's name in reports and traces.
  public var label: String { queue.label }

  /// Makes the queue. No slow code may run on it, or on a queue that targets it.
  ///
  /// - Parameters:
  ///   - label: the queue's name in reports and traces.
  ///   - file: the source file that makes the queue, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public convenience init(label: String, file: StaticString = #fileID, line: UInt = #line) {
    self.init(label: label, inPortions: false, file: file, line: line)
  }

  /// - Parameter inPortions: whether a synchronous call may overtake waiting blocks and jobs.
  init(label: String, inPortions: Bool, file: StaticString = #fileID, line: UInt = #line) {
    WaitMonitor.environment
    queue = DispatchQueue(label: label)
    self.line = inPortions ? PortionedLine(on: queue) : nil
    meter = QueueMeter(label: label, WaitIdentity(.queue, label: label, file: file, line: line))
    queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    SlowWork.guardQueue(queue)
  }

  /// Whether the calling code runs on this queue, or on one that targets it.
  public var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

  /// Runs an actor's job on the queue, in its turn. Called by the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job's own task knows the test that it belongs to; the code that resumes it may belong to another.
    async("job", in: 0) { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Whether the calling code runs on this queue, or on one that targets it. Called by the Swift runtime.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Stops the process if the calling code runs neither on this queue nor on one that targets it. `assumeIsolated` of
  /// an actor on this executor calls it.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs a block on the queue, in its turn. Does not wait for it.
  ///
  /// - Parameters:
  ///   - name: the block's name in reports and traces.
  ///   - block: the block, which is released on the queue.
  public func async(_ name: StaticString = "block", _ block: @escaping @Sendable () -> Void) {
    async(name, in: gw_is_on() ? WaitMonitor.scopeToCarry : 0, block)
  }

  private func async(_ name: StaticString, in scope: UInt64, _ block: @escaping @Sendable () -> Void) {
    let queued = SystemTime.monotonic
    let measured = { @Sendable in self.meter.measure(name, queuedAt: queued, in: scope, block) }
    if let line, Schedule.current == nil { line.append(measured) } else { queue.async(step: name, measured) }
  }

  /// Does work off the queue as soon as the queue is free. The work may wait for a thread that waits for the queue.
  /// Works that are deferred by one block may run at once, and in another order.
  func whenFree(_ name: StaticString, _ work: @escaping @Sendable () -> Void) {
    if let line, line.whenFree(work) { return }
    WorkerPool.shared.async(name, work)
  }

  /// Runs a block on the queue, in its turn, waits for it, and returns its result. Throws what the block throws.
  ///
  /// A call on the queue itself, or on a queue that targets it, would wait for itself. With the wait monitor on, it is
  /// reported and the block runs in place. Without the monitor it stops the process, with the reason.
  public func sync<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard isCurrent else { return try sync("sync", block) }
    if gw_is_on(), gw_ask(meter.identity.thing(in: WaitMonitor.scope)) {
      gw_asked()
      return try block()
    }
    fatalError(
      "sync was called on the queue \(label) itself and would wait for itself; call the code directly, or use async")
  }

  /// The position of a synchronous call in the queue's order.
  @usableFromInline
  package enum Order: Sendable {
    /// After all blocks and jobs that were enqueued before it.
    case inLine
    /// Possibly before some that are still waiting: for reads.
    case overtaking
  }

  /// Runs a block on the queue, in its turn or before it, and waits for it. Must not be called on the queue.
  @inlinable
  package func sync<Result, Failure: Error>(
    _ name: StaticString, order: Order = .inLine, _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    wait(name, order) {
      do throws(Failure) {
        result = .success(try block())
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { preconditionFailure("Dispatch returned before the block had run") }
    return try result.get()
  }

  /// `sync` for a block without a result: Dispatch's generic `sync` takes three times as long.
  @usableFromInline
  package func wait(_ name: StaticString, _ order: Order, _ block: () -> Void) {
    let queued = SystemTime.monotonic
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    if gw_is_on() { _ = gw_ask(meter.identity.thing(in: scope)) }
    let turn = queue.turn(name)
    if order == .inLine { line?.waitForTurn() }
    queue.sync {
      let run = meter.begin(name, queuedAt: queued, in: scope)
      block()
      meter.end(run)
    }
    turn?.end()
  }
}
