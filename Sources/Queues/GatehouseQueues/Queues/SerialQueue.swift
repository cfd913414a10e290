import CGatehouseWaits
public import Dispatch
import GatehouseWaits

/// A serial dispatch queue that the wait monitor knows.
///
/// Without the monitor it is a `DispatchQueue` and one look at a flag. With the monitor, waiting for the queue that one
/// is on is reported, and the block then runs in place, where a plain dispatch queue stops the process without a word.
public final class SerialQueue: Sendable {
  public let label: String
  /// The queue itself, for interfaces that want one. What goes around this type is not seen by the monitor.
  public let dispatchQueue: DispatchQueue
  private let target: SerialQueue?
  private let identity: WaitIdentity

  /// The main queue.
  public static let main = SerialQueue(main: .main)

  /// - Parameter target: where blocks of this queue run, in turn with those of the target itself.
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

  /// Runs a block on the queue, in its turn, and waits for it.
  @inlinable
  public func sync<Result, Failure: Error>(
    _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isWatched { return try watchedSync(block) }
    return try dispatchQueue.passing(block)
  }

  /// Runs a block on the queue, in its turn.
  public func async(_ block: @escaping @Sendable () -> Void) {
    guard gw_is_on() else { return dispatchQueue.step("block", within: targets, block) }
    let scope = WaitMonitor.scopeToCarry
    let once = TakeOnce(block)
    QueueGauges.submitted(thing)
    dispatchQueue.step("block", within: targets) {
      QueueGauges.begun(self.thing.instance)
      self.run(scope, once)
    }
  }

  /// Runs a block on the queue, in its turn, as a member of a group.
  public func async(group: Group, _ block: @escaping @Sendable () -> Void) {
    group.enter()
    group.isGiven(by: self)
    async {
      block()
      group.leave()
    }
  }

  /// Runs a block on the queue when so many seconds have passed.
  public func async(after seconds: Double, _ block: @escaping @Sendable () -> Void) {
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    let once = TakeOnce(block)
    dispatchQueue.step("block", within: targets, after: seconds) { self.run(scope, once) }
  }

  /// The queues that it targets, the nearest first.
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

  /// Tells the recorder that the thread is about to wait; whether it would wait for itself.
  private func ask() -> Bool {
    let targetWaits = target?.ask() ?? false
    return gw_ask(identity.thing(in: WaitMonitor.scope)) || targetWaits
  }

  /// A block of the queue holds its target as well.
  func enter() {
    target?.enter()
    gw_enter(identity.thing())
  }

  func leave() {
    gw_leave(identity.thing().instance)
    target?.leave()
  }

  /// Runs a block, and lets go of it while the queue is still held: what it captured may wait in its `deinit`.
  func run(_ scope: UInt64, _ block: TakeOnce<@Sendable () -> Void>) {
    guard gw_is_on() else {
      block.take()?()
      return
    }
    enter()
    defer { leave() }
    WaitMonitor.carrying(scope) { block.take()?() }
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
