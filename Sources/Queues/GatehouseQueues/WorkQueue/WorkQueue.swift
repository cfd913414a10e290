import CGatehouseWaits
package import GatehouseBase

/// The serial queue, one for the whole process, on which all of the SDK's state changes, and the actor that runs on it.
///
/// Everything on it is quick and the SDK's own. Code that is not isolated to `WorkQueue` cannot touch the engine: the
/// compiler rejects it. It is entered in three ways: `result(of:)`, `async` with `start`, and `sync`.
@globalActor
@usableFromInline
package actor WorkQueue {
  @usableFromInline package static let shared = WorkQueue()
  @usableFromInline package static let executor = SerialQueueExecutor(label: "gatehouse.work", inPortions: true)

  @usableFromInline nonisolated package var unownedExecutor: UnownedSerialExecutor {
    unsafe Self.executor.asUnownedSerialExecutor()
  }

  /// The queue's measurements so far.
  package static var diagnostics: QueueDiagnostics { executor.meter.snapshot }

  /// Runs a block on the queue, in its turn.
  package static func async(_ name: StaticString = #function, _ body: @escaping @WorkQueue @Sendable () -> Void) {
    executor.async(name) { isolated(body) }
  }

  /// Begins an operation on the queue, in its turn. Its code before the first suspension runs at once in that turn.
  ///
  /// - Parameter holds: the task queues that the caller's operation holds, if the caller may wait for this one.
  package static func start(
    _ name: StaticString = #function, holding holds: [QueueHold] = [],
    _ operation: @escaping @WorkQueue @Sendable () async -> Void
  ) {
    async(name) { begin(holding: holds, operation) }
  }

  /// Runs an operation for a caller on another executor, and returns its result. Every public asynchronous call awaits
  /// this.
  ///
  /// The operation runs in a task of its own, so the caller's executor preference and task-local objects stay out of
  /// the engine. It is enqueued before the caller's task suspends, so calls begin in call order. Cancelling the caller
  /// cancels the operation's task, which then ends at once. The operation decides what a cancelled caller gets, because
  /// one that has just succeeded must not be reported as cancelled.
  ///
  /// The caller's task never runs on the work queue and is resumed when the queue is free (decision 47). Both running
  /// and resuming take the lock of the task's status, and a thread that cancels the task holds that lock while it runs
  /// the app's cancellation handlers. A handler may make a synchronous call.
  ///
  /// - Parameter atHand: returns the result if the call need not wait for it. Called in the call's turn. With a result
  ///   no task is made, which saves a third of the call's processor time in user mode.
  ///
  /// Throws nothing: an error that crosses from one executor to another keeps the caller on the wrong one (decision
  /// 13).
  package nonisolated(nonsending) static func result<Value: Sendable, Failure: Error>(
    of operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value,
    atHand: (@WorkQueue @Sendable () -> Value?)? = nil
  ) async -> Result<Value, Failure> {
    let holds = QueueHold.current
    let call = PendingCall(isCancelled: Task.isCancelled)
    async("call") {
      if let value = atHand?() { return call.end(.success(value)) }
      call.adopt(
        begin(holding: holds) {
          // `unsafe`: the task is the one that runs this line.
          if call.isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
          do throws(Failure) {
            call.end(.success(try await operation()))
          } catch {
            call.end(.failure(error))
          }
        })
    }
    let outcome = await withTaskCancellationHandler {
      await call.result()
    } onCancel: {
      call.cancel()
    }
    switch outcome {
    // The casts cannot fail: only this call's closure above ends the call, with a `Value` or a `Failure`.
    // (`PendingCall` is not generic.)
    case .success(let value): return .success(value as! Value)
    case .failure(let error): return .failure(error as! Failure)
    }
  }

  /// Begins an operation at once if it is called on the work queue; elsewhere the operation begins in its turn.
  ///
  /// The caller's task-local values are not inherited, because they may be the app's objects. The holds of the caller's
  /// operation are, and so is the test that it belongs to.
  @discardableResult
  package static func begin(
    _ operation: @escaping @WorkQueue @Sendable () async -> Void
  ) -> Task<Void, Never> {
    begin(holding: QueueHold.current, operation)
  }

  @discardableResult
  static func begin(
    holding holds: [QueueHold], _ operation: @escaping @WorkQueue @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    return Task.immediateDetached { @WorkQueue @Sendable in
      await WaitMonitor.belonging(to: scope) { @WorkQueue in await Self.holding(holds, operation) }
    }
  }

  /// Runs an operation with its holds.
  ///
  /// The closure names its isolation: otherwise `withValue` would leave the work queue and come back later.
  @WorkQueue
  private static func holding(_ holds: [QueueHold], _ operation: @escaping @WorkQueue @Sendable () async -> Void) async
  {
    if holds.isEmpty { return await operation() }
    await QueueHold.$current.withValue(holds) { @WorkQueue in await operation() }
  }

  /// Runs a block on the queue, in its turn, and returns its result. Every public synchronous call does this.
  ///
  ///     called on                                    then
  ///     any other thread or queue                    waits for its turn; blocks on the queue are quick
  ///     the work queue, or a queue that targets it   answers in place, and the call is reported
  ///
  /// In the second case plain dispatch would stop the process without a message. The answer in place is right, because
  /// engine code never calls out while its state is half changed.
  ///
  /// - Parameter order: a read may overtake asynchronous calls that still wait, because those have not begun. A call
  ///   that changes state must not.
  @inlinable
  package static func sync<Result: Sendable, Failure: Error>(
    _ name: StaticString = #function, order: SerialQueueExecutor.Order = .inLine,
    _ body: @WorkQueue () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard !executor.isCurrent else {
      report(name)
      return try isolated(body)
    }
    return try executor.sync(name, order: order) { () throws(Failure) -> Result in try isolated(body) }
  }

  @usableFromInline
  static func report(_ name: StaticString) { CallInPlace.report(name, on: executor) }

  /// Calls isolated code from code that is known to run on the queue.
  ///
  /// A custom global actor has no `assumeIsolated`. `MainActor`'s version casts the body, which costs an allocation,
  /// because a closure must be made escaping to be cast. Here the closure that is cast captures nothing and calls the
  /// body. `unsafe`: the two function types differ only in isolation, and every caller is on the queue.
  @inlinable
  static func isolated<Result, Failure: Error>(
    _ body: @WorkQueue () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    assert(executor.isCurrent, "called on the work queue")
    typealias Isolated = @WorkQueue (@WorkQueue () throws(Failure) -> Result) throws(Failure) -> Result
    typealias Plain = (@WorkQueue () throws(Failure) -> Result) throws(Failure) -> Result
    let call: Isolated = { (body: @WorkQueue () throws(Failure) -> Result) throws(Failure) -> Result in try body() }
    return try unsafe unsafeBitCast(call, to: Plain.self)(body)
  }
}

/// Runs the async form of a call: begins on the work queue in the turn in which the call arrives, and resumes the
/// caller on the caller's own executor.
///
/// - Parameter atHand: the result, if it is available without waiting; then no task is created.
package nonisolated(nonsending) func onWorkQueue<Value: Sendable, Failure: Error>(
  _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value,
  atHand: (@WorkQueue @Sendable () -> Value?)? = nil
) async throws(Failure) -> Value {
  try await WorkQueue.result(of: operation, atHand: atHand).get()
}
