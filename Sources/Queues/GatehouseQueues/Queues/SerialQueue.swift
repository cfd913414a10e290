import CGatehouseWaits
public import Dispatch
import GatehouseWaits

/// A serial dispatch queue that the wait monitor observes.
///
/// Without the monitor, it costs a `DispatchQueue` and one check of a flag. With the monitor, a `sync` on the queue
/// itself is reported and the block runs in place; a plain dispatch queue stops the process without a message. Usable
/// from any thread.
public final class SerialQueue: Sendable {
  /// The queue's name in reports.
  public let label: String
  /// The underlying queue, for interfaces that need one. The monitor does not see blocks that are submitted to it
  /// directly.
  public let dispatchQueue: DispatchQueue
  private let target: SerialQueue?
  private let identity: WaitIdentity

  /// The main queue.
  public static let main = SerialQueue(main: .main)

  /// Makes the queue.
  ///
  /// - Parameters:
  ///   - label: the queue's name in reports.
  ///   - target: the queue on which blocks of this queue run, in turn with the target's own blocks.
  ///   - file: the source file that makes the queue, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(label: String, target: SerialQueue? = nil, file: StaticString = #fileID, line: UInt = #line) {
    WaitMonitor.environment
    self.label = label
    self.target = target
    dispatchQueue = DispatchQueue(label: label, target: target?.dispatchQueue)
    identity = WaitIdentity(.queue, label: label, file: file, line: line)
  }

  private init(main: DispatchQueue) {
    label = "main"
    target = nil
    dispatchQueue = main
    identity = WaitIdentity(main: ())
  }

  /// Runs a block on the queue, in its turn, waits for it, and returns its result. Throws what the block throws.
  @inlinable
  public func sync<Result, Failure: Error>(
    _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isWatched { return try watchedSync(block) }
    return try dispatchQueue.passing(block)
  }

  /// Runs a block on the queue, in its turn. Does not wait for it.
  public func async(_ block: @escaping @Sendable () -> Void) {
    guard gw_is_on() else { return dispatchQueue.async(step: "block", within: targets, block) }
    let work = CarriedWork.current
    let once = TakeOnce(block)
    QueueGauges.submitted(thing)
    dispatchQueue.async(step: "block", within: targets) {
      QueueGauges.begun(self.thing.instance)
      self.run(work, once)
    }
  }

  /// Runs a block on the queue, in its turn, as a member of a group. Does not wait for it.
  public func async(group: Group, _ block: @escaping @Sendable () -> Void) {
    let member = group.member(block)
    group.isGiven(by: self)
    async(member)
  }

  /// Runs a block on the queue, in its turn, once `delay` has passed in real time. Does not wait for it.
  public func async(after delay: Duration, _ block: @escaping @Sendable () -> Void) {
    let work = CarriedWork.current
    let once = TakeOnce(block)
    dispatchQueue.async(step: "block", within: targets, after: delay.inSeconds) { self.run(work, once) }
  }

  /// Stops the process unless the calling code runs on this queue, or on one that targets it.
  ///
  /// On `main` it also tells the wait monitor that the code never runs elsewhere: two waits in such code never happen
  /// at once. Otherwise the monitor assumes that the code is on the main thread by chance, and notes a cycle of those
  /// waits.
  public func preconditionOnQueue() {
    dispatchPrecondition(condition: .onQueue(dispatchQueue))
    if gw_is_on(), thing.instance == WaitIdentity.main.instance { gw_declare_main() }
  }

  /// The queues that this queue targets, nearest first.
  private var targets: [DispatchQueue] { target.map { [$0.dispatchQueue] + $0.targets } ?? [] }

  // MARK: - With the monitor

  var thing: gw_thing { identity.thing() }

  @usableFromInline var isWatched: Bool { gw_is_on() || Schedule.isInstalled }

  @usableFromInline
  func watchedSync<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard !ask() else {
      gw_asked()
      return try block()
    }
    // The main queue's blocks run on the main thread, whichever thread waits.
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    let turn = dispatchQueue.turn("sync", within: targets)
    defer { turn?.end() }
    return try dispatchQueue.passing { () throws(Failure) -> Result in
      enter()
      gw_asked()
      let before = gw_scope()
      gw_set_scope(scope)
      defer {
        gw_set_scope(before)
        leave()
      }
      return try block()
    }
  }

  /// Tells the recorder that the thread is about to wait. Returns whether it would wait for itself.
  private func ask() -> Bool {
    let targetWaits = target?.ask() ?? false
    return gw_ask(identity.thing(in: WaitMonitor.scope)) || targetWaits
  }

  /// Enters the queue and its target: a block of the queue holds both.
  func enter() {
    target?.enter()
    gw_enter(identity.thing())
  }

  /// Records whose block holds the queue and its target.
  private func isHeld(by work: CarriedWork) {
    target?.isHeld(by: work)
    gw_submitted(identity.thing().instance, work.submission)
  }

  func leave() {
    gw_leave(identity.thing().instance)
    target?.leave()
  }

  /// Runs a block and releases it while the queue is still held: a captured object may wait in its `deinit`.
  func run(_ work: CarriedWork, _ block: TakeOnce<@Sendable () -> Void>) {
    guard WaitMonitor.concerns(work.scope) else {
      block.take()?()
      return
    }
    enter()
    defer { leave() }
    isHeld(by: work)
    WaitMonitor.carrying(work) { block.take()?() }
  }
}

extension DispatchQueue {
  /// `sync` with typed errors.
  @inlinable
  func passing<Result, Failure: Error>(_ block: () throws(Failure) -> Result) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = sync {
      do throws(Failure) {
        return .success(try block())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
