import CGatehouseWaits
package import Dispatch
import GatehouseBase

/// A serial dispatch queue that actors can run on.
///
/// Dispatch blocks and an actor's jobs take their turns on the one queue. Everything that runs on it is measured.
public final class SerialQueueExecutor: SerialExecutor {
  package let queue: DispatchQueue
  package let meter: QueueMeter
  private static let current = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes the queue. Nothing slow may run on it, nor on a queue that targets it.
  public init(label: String, file: StaticString = #fileID, line: UInt = #line) {
    WaitMonitor.environment
    queue = DispatchQueue(label: label)
    meter = QueueMeter(label: label, WaitIdentity(.queue, label: label, file: file, line: line))
    queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    SlowWork.guardQueue(queue)
  }

  /// Whether the calling code runs on this queue, or on one that targets it.
  public var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Whose test a job belongs to its own task knows, not the one that wakes it.
    async("job", in: 0) { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs a block on the queue, in its turn.
  package func async(_ name: StaticString, _ block: @escaping @Sendable () -> Void) {
    async(name, in: gw_is_on() ? WaitMonitor.scopeToCarry : 0, block)
  }

  private func async(_ name: StaticString, in scope: UInt64, _ block: @escaping @Sendable () -> Void) {
    let queued = SystemTime.monotonic
    queue.step(name) { self.meter.measure(name, queuedAt: queued, in: scope, block) }
  }

  /// Runs a block on the queue, in its turn, and waits for it. Must not be called on the queue.
  @inlinable
  package func sync<Result, Failure: Error>(
    _ name: StaticString, _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    wait(name) {
      do throws(Failure) {
        result = .success(try block())
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { preconditionFailure("Dispatch returned before the block had run") }
    return try result.get()
  }

  /// `sync` of a block without a result: Dispatch's generic `sync` takes three times as long.
  @usableFromInline
  package func wait(_ name: StaticString, _ block: () -> Void) {
    let queued = SystemTime.monotonic
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    if gw_is_on() { _ = gw_ask(meter.identity.thing(in: scope)) }
    let turn = queue.turn(name)
    queue.sync {
      let run = meter.begin(name, queuedAt: queued, in: scope)
      block()
      meter.end(run)
    }
    turn?.end()
  }
}
