import CGatehouseWaits
import Dispatch
import GatehouseBase
import GatehouseWaits

/// A queue of asynchronous operations: the next one begins only when the one before has ended.
///
/// A dispatch queue whose target is a serial queue, by default the SDK's work queue. An operation begins in its turn
/// there, and while it is under way this queue is suspended and its target is free. Plain work keeps its place among
/// operations. Suspending the target suspends this queue; suspending this queue leaves the target running.
public final class SerialTaskQueue: Sendable {
  public let label: String
  private let queue: DispatchQueue
  private let executor: SerialQueueExecutor
  private let suspensions = Lock<[DispatchQueue.Suspension]>([])
  /// How the wait monitor knows the operation under way.
  private let identity: WaitIdentity

  /// - Parameter target: where the operations begin.
  public init(label: String, target: SerialQueueExecutor, file: StaticString = #fileID, line: UInt = #line) {
    self.label = label
    identity = WaitIdentity(.taskQueue, label: label, file: file, line: line)
    executor = target
    queue = DispatchQueue(label: label, target: executor.queue)
  }

  /// A queue whose operations begin on the work queue.
  package convenience init(label: String, file: StaticString = #fileID, line: UInt = #line) {
    self.init(label: label, target: WorkQueue.executor, file: file, line: line)
  }

  deinit {
    // A suspended queue must not be released: on Linux that stops the process.
    for suspension in suspensions.withLock({ $0 }) { suspension.end() }
  }

  /// Runs a task in its turn, on the target queue. The queue goes on when the task has called `complete`, once, from
  /// any thread; or has let go of it.
  public func enqueueTask(_ task: @escaping @Sendable (_ complete: @escaping @Sendable () -> Void) -> Void) {
    enqueue("task") { turn in task { turn.end() } }
  }

  /// Runs a block in its turn, on the target queue.
  public func async(_ block: @escaping @Sendable () -> Void) {
    let queued = SystemTime.monotonic
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    queue.step("block", within: [executor.queue]) { [executor] in
      executor.meter.measure("block", queuedAt: queued, in: scope, block)
    }
  }

  /// Begins no further task or block until `resume()`. Each call wants its own `resume()`.
  public func suspend() {
    let suspension = queue.suspendSteps()  // first: a resume that finds it must find the queue suspended
    suspensions.withLock { $0.append(suspension) }
  }

  /// Undoes one `suspend()`; without one, does nothing.
  public func resume() {
    suspensions.withLock { $0.popLast() }?.end()
  }

  private func enqueue(_ name: StaticString, _ begin: @escaping @Sendable (Turn) -> Void) {
    let queued = SystemTime.monotonic
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    queue.step(name, within: [executor.queue]) { [self] in
      let turn = Turn(queue.suspendSteps())
      executor.meter.measure(name, queuedAt: queued, in: scope) { begin(turn) }
    }
  }

  /// The right to be the one operation under way. Ends once; a turn that is let go of ends too.
  private final class Turn: Sendable {
    /// It keeps the dispatch queue, which must not be released before.
    private let suspension: TakeOnce<DispatchQueue.Suspension>

    init(_ suspension: DispatchQueue.Suspension) { self.suspension = TakeOnce(suspension) }

    deinit { end() }

    func end() { suspension.take()?.end() }
  }
}

// MARK: - Asynchronous operations

/// How long an operation may take, in seconds on the boot clock.
package struct Deadline: Sendable {
  package let seconds: Double
  package let time: Timekeeper

  package init(_ seconds: Double, on time: Timekeeper) {
    self.seconds = seconds
    self.time = time
  }
}

extension SerialTaskQueue {
  /// An operation's hold on a queue: in force until the operation has ended.
  package final class Hold: Sendable {
    let queue: SerialTaskQueue
    private let inForce = Lock(true)

    init(_ queue: SerialTaskQueue) { self.queue = queue }

    var isInForce: Bool { inForce.withLock { $0 } }
    func end() { inForce.withLock { $0 = false } }
  }

  /// Tells the wait monitor that the current operation waits for one of this queue.
  func noteWait() {
    let held = Self.currentHolds.filter { $0.isInForce && $0.queue !== self }.map { $0.queue.identity.thing() }
    guard !held.isEmpty else { return }
    WaitMonitor.note(identity.thing(in: WaitMonitor.scope), heldBy: held)
  }

  /// What the current operation, and those that wait for it, hold.
  @TaskLocal private static var holds: [Hold] = []

  package static var currentHolds: [Hold] { holds }

  /// Runs an operation with what it holds.
  ///
  /// The closure names its isolation: without it `withValue` would leave the work queue and come back later.
  @WorkQueue
  static func holding(_ holds: [Hold], _ operation: @escaping @WorkQueue @Sendable () async -> Void) async {
    if holds.isEmpty { return await operation() }
    await $holds.withValue(holds) { @WorkQueue in await operation() }
  }

  /// Runs a part of an operation that goes on in a task off the work queue.
  static func withHolds<Value>(_ holds: [Hold], _ body: () async -> Value) async -> Value {
    if holds.isEmpty { return await body() }
    return await $holds.withValue(holds) { await body() }
  }

  /// Whether the calling operation, or one that waits for it, holds this queue: waiting for the queue would never end.
  ///
  /// Ask before an operation is enqueued whose result the caller waits for. Otherwise a refused caller leaves an
  /// operation without a waiter.
  package var isHeldByCurrentOperation: Bool { Self.holds.contains { $0.queue === self && $0.isInForce } }

  /// Puts an operation in the queue. Its result can be awaited by many.
  ///
  /// - Parameter deadline: how long the operation may take from its begin. When it takes longer its waiters get
  ///   `.deadline`, its task is cancelled and the next operation begins. `nil` only for work that must keep its
  ///   order whatever it takes.
  @WorkQueue
  package func enqueue<Value: Sendable, Failure: ExpressibleByQueueFailure>(
    _ name: StaticString, deadline: Deadline?,
    _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value
  ) -> Promise<Value, Failure> {
    let promise = Promise<Value, Failure>(awaitingTurnOn: self)
    let outer = Self.holds.filter(\.isInForce)
    enqueue(name) { [self] turn in
      let hold = Hold(self)
      let alarm = Lock<Alarms.Handle?>(nil)
      let task = WorkQueue.begin(holding: outer + [hold]) {
        let result = await outcome(of: operation)
        hold.end()
        promise.resolve(result)
        alarm.withLock { $0 }?.cancel()
        turn.end()
      }
      guard let deadline, hold.isInForce else { return }
      let handle = deadline.time.after(deadline.seconds) {
        hold.end()
        promise.resolve(.failure(.deadline(operation: "\(name)", timeout: Duration(seconds: deadline.seconds))))
        task.cancel()  // its handlers are ours: what is foreign in it is behind `Background.run`
        turn.end()
      }
      alarm.withLock { $0 = handle }
    }
    return promise
  }

  /// Puts an operation in the queue and waits for its result. Throws `.wouldDeadlock`, and puts nothing there, when the
  /// calling operation holds the queue.
  @WorkQueue
  package func run<Value: Sendable, Failure: ExpressibleByQueueFailure>(
    _ name: StaticString, deadline: Deadline?,
    _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if isHeldByCurrentOperation { throw .wouldDeadlock(queue: label) }
    return try await enqueue(name, deadline: deadline, operation).value()
  }
}
