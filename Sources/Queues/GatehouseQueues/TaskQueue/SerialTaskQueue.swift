import CGatehouseWaits
import Dispatch
public import GatehouseBase
import GatehouseWaits

/// A queue of asynchronous operations: the next one begins only when the one before has ended.
///
/// A dispatch queue whose target is a serial queue. An operation begins in its turn there. While it is running, this
/// queue is suspended and its target is free. Plain blocks keep their place among operations. Suspending the target
/// suspends this queue; suspending this queue leaves the target running. Usable from any thread.
///
///     let executor = SerialQueueExecutor(label: "app.state")
///     let writes = SerialTaskQueue(label: "app.writes", target: executor)
///     let row = try await writes.run("insert", timeout: .seconds(5)) { try await database.insert(account) }
public final class SerialTaskQueue: Sendable {
  /// The queue's name in errors, reports and traces.
  public let label: String
  private let queue: DispatchQueue
  let executor: SerialQueueExecutor
  let clocks: any Clocks
  private let suspensions = Lock<[DispatchQueue.Suspension]>([])
  /// The current operation's identity for the wait monitor.
  private let identity: WaitIdentity

  /// Makes the queue.
  ///
  /// - Parameters:
  ///   - label: the queue's name in errors, reports and traces.
  ///   - target: the queue on which operations and blocks begin.
  ///   - clocks: the clocks that measure the operations' timeouts. They are called on a serial queue of their own.
  ///   - file: the source file that makes the queue, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(
    label: String, target: SerialQueueExecutor, clocks: any Clocks = SystemClocks(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.label = label
    self.clocks = clocks
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

  /// Puts an operation with a completion closure in the queue. It begins in its turn, on the target queue.
  ///
  /// The next operation begins when this one has called `complete`, from any thread, or has released it. Further calls
  /// of `complete` do nothing.
  public func enqueue(_ operation: @escaping @Sendable (_ complete: @escaping @Sendable () -> Void) -> Void) {
    inTurn("task") { turn in operation { turn.end() } }
  }

  /// Runs a block in its turn, on the target queue. Does not wait for it.
  public func async(_ block: @escaping @Sendable () -> Void) {
    let queued = SystemTime.monotonic
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    queue.async(step: "block", within: [executor.queue]) { [executor] in
      executor.meter.measure("block", queuedAt: queued, in: scope, block)
    }
  }

  /// Begins no further operation or block until `resume()`. Each call needs its own `resume()`. A running operation
  /// continues. A waiting operation keeps the queue alive: resume the queue before you release it, or what waits in it
  /// waits forever. A suspended queue that contains only blocks may be released: they then run.
  public func suspend() {
    let suspension = queue.suspendSteps()  // first: `resume` must not find it before the queue is suspended
    suspensions.withLock { $0.append(suspension) }
  }

  /// Undoes one `suspend()`. Does nothing if there is none.
  public func resume() {
    suspensions.withLock { $0.popLast() }?.end()
  }

  func inTurn(_ name: StaticString, _ begin: @escaping @Sendable (Turn) -> Void) {
    let queued = SystemTime.monotonic
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    queue.async(step: name, within: [executor.queue]) { [self] in
      let turn = Turn(queue.suspendSteps())
      executor.meter.measure(name, queuedAt: queued, in: scope) { begin(turn) }
    }
  }

  /// The right to be the one running operation. It ends once; releasing a turn ends it, too.
  final class Turn: Sendable {
    /// Keeps the dispatch queue alive, which must not be released while it is suspended.
    private let suspension: TakeOnce<DispatchQueue.Suspension>

    init(_ suspension: DispatchQueue.Suspension) { self.suspension = TakeOnce(suspension) }

    deinit { end() }

    func end() { suspension.take()?.end() }
  }
}

// MARK: - Waiting

extension SerialTaskQueue: HeldQueue {
  var thing: gw_thing { identity.thing() }

  /// Tells the wait monitor that the current operation waits for one of this queue.
  func noteWait() {
    let held = QueueHold.current.filter { $0.isInForce && $0.queue !== self }.map { $0.queue.thing }
    guard !held.isEmpty else { return }
    WaitMonitor.note(identity.thing(in: WaitMonitor.scope), heldBy: held)
  }

  /// Whether the calling operation, or one that waits for it, holds this queue: waiting for the queue would never end.
  ///
  /// Check this before you enqueue an operation whose result the caller waits for. Otherwise a refused caller leaves an
  /// operation without a waiter.
  package var isHeldByCurrentOperation: Bool { QueueHold.current.contains { $0.queue === self && $0.isInForce } }
}

// MARK: - Operations of the work queue

/// The maximum duration of an operation, in seconds on the boot clock.
package struct Deadline: Sendable {
  package enum Start: Sendable {
    /// The deadline counts from the moment at which the operation is enqueued: its wait for its turn counts.
    case call
    /// The deadline counts from the moment at which the operation begins.
    case turn
  }

  package let seconds: Double
  package let time: Timekeeper
  package let start: Start

  package init(_ seconds: Double, on time: Timekeeper, from start: Start = .turn) {
    self.seconds = seconds
    self.time = time
    self.start = start
  }
}

extension SerialTaskQueue {
  /// Puts an operation in the queue. Any number of callers may await its result.
  ///
  /// If the promise is resolved before the operation's turn, by its deadline or by another party, the operation does
  /// not begin.
  ///
  /// - Parameter deadline: the maximum duration of the operation. After that, its waiters get `.deadline`, its task is
  ///   cancelled and the next operation begins. `nil` only for work that must keep its order however long it takes.
  @WorkQueue
  package func enqueue<Value: Sendable, Failure: ExpressibleByQueueFailure>(
    _ name: StaticString, deadline: Deadline?,
    _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value
  ) -> Promise<Value, Failure> {
    let promise = Promise<Value, Failure>(awaitingTurnOn: self)
    let outer = QueueHold.current.filter(\.isInForce)
    let limit = OperationLimit(deadline) { deadline in
      promise.resolve(.failure(.deadline(operation: "\(name)", timeout: Duration(seconds: deadline.seconds))))
    }
    inTurn(name) { [self] turn in
      WorkQueue.isolated {
        guard !promise.isResolved else {
          limit.end()
          return turn.end()
        }
        let hold = QueueHold(self)
        let task = WorkQueue.begin(holding: outer + [hold]) {
          let result = await outcome(of: operation)
          hold.end()
          promise.resolve(result)
          limit.end()
          turn.end()
        }
        guard hold.isInForce else { return }
        limit.began(hold) {
          task.cancel()  // its handlers are the SDK's own: foreign code in it runs in `Background.run`
          turn.end()
        }
      }
    }
    return promise
  }

  /// Puts an operation in the queue and waits for its result. Throws `.wouldDeadlock`, and puts nothing there, if the
  /// calling operation holds the queue.
  @WorkQueue
  package func run<Value: Sendable, Failure: ExpressibleByQueueFailure>(
    _ name: StaticString, deadline: Deadline?,
    _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if isHeldByCurrentOperation { throw .wouldDeadlock(queue: label) }
    return try await enqueue(name, deadline: deadline, operation).value()
  }

  /// Runs a part of an operation that operations of these queues wait for, although it holds no turn of theirs. A call
  /// in it that waits for one of the queues gets `.wouldDeadlock`.
  @WorkQueue
  package static func barring<Value: Sendable, Failure: ExpressibleByQueueFailure>(
    _ queues: [SerialTaskQueue], _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let holds = queues.map { QueueHold($0) }
    defer { for hold in holds { hold.end() } }
    let all = QueueHold.current.filter(\.isInForce) + holds
    // The closure names its isolation: otherwise `withValue` would leave the work queue and come back later.
    let result = await QueueHold.$current.withValue(all) { @WorkQueue in await outcome(of: operation) }
    return try result.get()
  }
}
