import CGatehouseWaits
public import Dispatch
import GatehouseWaits

/// A concurrent dispatch queue that the wait monitor observes. Blocks run concurrently, and a barrier block runs alone.
/// Usable from any thread.
public final class ConcurrentQueue: Sendable {
  /// The queue's name in reports.
  public let label: String
  /// The underlying queue, for interfaces that need one. The monitor does not see blocks that are submitted to it
  /// directly.
  public let dispatchQueue: DispatchQueue
  private let identity: WaitIdentity

  /// Makes the queue.
  ///
  /// - Parameters:
  ///   - label: the queue's name in reports.
  ///   - file: the source file that makes the queue, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(label: String, file: StaticString = #fileID, line: UInt = #line) {
    WaitMonitor.environment
    self.label = label
    dispatchQueue = DispatchQueue(label: label, attributes: .concurrent)
    identity = WaitIdentity(.queue, label: label, file: file, line: line)
  }

  /// Runs a block concurrently with others, waits for it, and returns its result. Throws what the block throws.
  public func sync<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard gw_is_on() else { return try dispatchQueue.passing(block) }
    let thing = identity.thing(isShared: true, in: WaitMonitor.scope)
    if gw_ask(thing) {
      gw_asked()
      return try block()
    }
    return try dispatchQueue.passing { () throws(Failure) -> Result in
      gw_enter(thing)
      gw_asked()
      defer { gw_leave(thing.instance) }
      return try block()
    }
  }

  /// Runs a block alone on the queue, waits for it, and returns its result. Throws what the block throws.
  public func syncBarrier<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard gw_is_on() else { return try barrier(block) }
    let thing = identity.thing(in: WaitMonitor.scope)
    WaitMonitor.noteBarrier(thing)
    if gw_ask(thing) {
      gw_asked()
      return try block()
    }
    return try barrier { () throws(Failure) -> Result in
      gw_enter(thing)
      gw_asked()
      defer { gw_leave(thing.instance) }
      return try block()
    }
  }

  /// Runs a block concurrently with others. Does not wait for it.
  public func async(_ block: @escaping @Sendable () -> Void) { async(isBarrier: false, block) }

  /// Runs a block alone on the queue. Does not wait for it.
  public func asyncBarrier(_ block: @escaping @Sendable () -> Void) { async(isBarrier: true, block) }

  /// Runs a block concurrently with others, as a member of a group. Does not wait for it.
  public func async(group: Group, _ block: @escaping @Sendable () -> Void) {
    async(group.member(block))
  }

  private func async(isBarrier: Bool, _ block: @escaping @Sendable () -> Void) {
    let flags: DispatchWorkItemFlags = isBarrier ? .barrier : []
    guard gw_is_on() else { return dispatchQueue.async(flags: flags, execute: block) }
    let work = CarriedWork.current
    let thing = identity.thing(isShared: !isBarrier, in: work.scope)
    if isBarrier { WaitMonitor.noteBarrier(thing) }
    let once = TakeOnce(block)
    QueueGauges.submitted(thing)
    dispatchQueue.async(flags: flags) {
      QueueGauges.begun(thing.instance)
      gw_enter(thing)
      defer { gw_leave(thing.instance) }
      WaitMonitor.carrying(work) { once.take()?() }
    }
  }

  private func barrier<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = dispatchQueue.sync(flags: .barrier) {
      do throws(Failure) {
        return .success(try block())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
