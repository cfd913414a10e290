import CGatehouseWaits
public import Dispatch
import GatehouseWaits

/// The queue on which the app's closures run, one at a time and in order: the main queue, or another that the app
/// chose.
///
/// Deliveries to another queue go through a serial queue that targets it, so that the order holds on a concurrent one
/// too. Closures are also released here: what they captured may have a `deinit`, and that is the app's code. Usable
/// from any thread.
public final class CallbackQueue: Sendable {
  private let queue: DispatchQueue
  private let isMain: Bool
  private let watch: DrainWatch
  /// The watch for closures that are isolated to the main actor, if the queue is another one.
  private let mainWatch: DrainWatch
  /// The queue's identity for the wait monitor, which already knows the main queue.
  private let identity: WaitIdentity
  /// The blocks that wait for each actor. An actor has an entry while a thread runs its blocks, or is about to.
  private let lines = Lock<[ObjectIdentifier: FIFO<@Sendable () -> Void>]>([:])

  /// Makes a callback queue on a queue of the app.
  ///
  /// - Parameters:
  ///   - target: the queue on which closures run.
  ///   - patience: the time that a delivery may wait while none begins, in real time. Then `stalled` is called, once.
  ///   - stalled: called on a background thread if the queue is not drained, with a text for people that says what to
  ///     do.
  ///   - file: the source file that makes the queue, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(
    _ target: DispatchQueue = .main, patience: Duration = .seconds(3),
    stalled: @escaping @Sendable (String) -> Void = { _ in }, file: StaticString = #fileID, line: UInt = #line
  ) {
    identity = WaitIdentity(.queue, label: "callbacks on \(target.label)", file: file, line: line)
    isMain = MainQueue.isMain(target)
    queue = isMain ? target : DispatchQueue(label: "gatehouse.callbacks", target: target)
    watch = DrainWatch(label: target.label, patience: patience, stalled: stalled)
    mainWatch = isMain ? watch : DrainWatch(label: DispatchQueue.main.label, patience: patience, stalled: stalled)
  }

  /// Makes a queue for deliveries that need no queue of the app.
  package static func ofBackground() -> CallbackQueue { CallbackQueue(.global()) }

  /// Runs a block on the queue, in its turn, and releases it there. Does not wait for it.
  public func deliver(_ block: @escaping @Sendable () -> Void) {
    deliver(in: gw_is_on() ? WaitMonitor.scopeToCarry : 0, block)
  }

  /// Runs a block on the queue, in its turn, as `deliver` does. A queue that is not drained is not reported: this is
  /// for blocks that the app need not have asked for.
  package func deliverUnwatched(_ block: @escaping @Sendable () -> Void) { queue.async(step: "callback", block) }

  fileprivate func deliver(in scope: UInt64, _ block: @escaping @Sendable () -> Void) {
    watch.willDeliver()
    queue.async(step: "callback") { [self] in
      watch.began()
      if WaitMonitor.concerns(scope) { watched(scope, block) } else { block() }
      watch.ended()
    }
  }

  /// A block that runs on an actor, or without one where it is begun.
  typealias IsolatedBlock = @Sendable (isolated (any Actor)?) async -> Void

  /// Runs an asynchronous block on the queue, in its turn. The block calls a closure without an isolation.
  func deliver(_ block: @escaping IsolatedBlock) {
    Task.detached(executorPreference: CallbackExecutor(self)) { await block(nil) }
  }

  /// Runs the blocks for an actor, in order and off the work queue, when that is free. Each block is released there.
  ///
  /// A block may call the executor of the actor, which may wait for a thread that waits for the work queue. An executor
  /// that never returns holds up the blocks of its own actor only.
  func inOrder(for actor: ObjectIdentifier, _ block: @escaping @Sendable () -> Void) {
    let begins = lines.withLock { lines in
      let begins = lines[actor] == nil
      lines[actor, default: FIFO()].append(block)
      return begins
    }
    guard begins else { return }
    WorkQueue.executor.whenFree("deliver") { [self] in
      while let block = nextBlock(for: actor) { block() }
    }
  }

  private func nextBlock(for actor: ObjectIdentifier) -> (@Sendable () -> Void)? {
    lines.withLock { lines in
      let block = lines[actor]?.popFirst()
      if block == nil { lines[actor] = nil }
      return block
    }
  }

  /// Runs an asynchronous block on an actor, in its turn. The block calls a closure that is isolated to the actor.
  ///
  /// The task begins here, and is enqueued on the actor before this returns. It ends on Swift's own threads, where its
  /// reference to the actor is released.
  func deliver(on actor: any Actor, isMainActor: Bool, _ block: @escaping IsolatedBlock) {
    if isMainActor { return deliverOnMain(block) }
    Task.immediateDetached { await Self.run(on: actor, block) }
  }

  /// The task itself is isolated to the main actor: it is enqueued there at once, and what precedes the block runs
  /// there too. An immediate task would begin in place, on the work queue, when the main actor itself waits for a
  /// synchronous call: it would overtake what was enqueued before.
  private func deliverOnMain(_ block: @escaping IsolatedBlock) {
    mainWatch.willDeliver()
    let watch = mainWatch
    let onMain: @MainActor @Sendable () async -> Void = { await Self.runOnMain(block, under: watch) }
    Task.detached(operation: onMain)
  }

  @MainActor private static func runOnMain(_ block: @escaping IsolatedBlock, under watch: DrainWatch) async {
    watch.began()
    await WaitMonitor.holding(SerialQueue.main, block)
    watch.ended()
  }

  private static func run(on actor: isolated any Actor, _ block: IsolatedBlock) async { await block(actor) }

  private func watched(_ scope: UInt64, _ block: () -> Void) {
    let thing = isMain ? SerialQueue.main.thing : identity.thing()
    gw_enter(thing)
    defer { gw_leave(thing.instance) }
    WaitMonitor.carrying(CarriedWork(scope: scope), block)
  }

  /// Releases a value on the queue. Its `deinit` runs there if the caller has given up its own references.
  ///
  /// Hand the last reference over: `queue.release(consume handler)`.
  public func release<Value: Sendable>(_ value: consuming Value) { release(TakeOnce(value)) }

  /// Releases the content of a box on the queue.
  package func release<Value: Sendable>(_ box: TakeOnce<Value>) {
    queue.async(step: "release") { _ = box.take() }
  }
}

/// Runs the parts of one delivery on a callback queue.
private final class CallbackExecutor: TaskExecutor {
  private let queue: CallbackQueue
  /// The test that all parts belong to, whichever test resumes them.
  private let scope: UInt64

  init(_ queue: CallbackQueue) {
    self.queue = queue
    scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // `unsafe`: the runtime requires that the job runs exactly once, and it runs here.
    queue.deliver(in: scope) { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Recognizes the main queue. On Linux `DispatchQueue.main` makes a new object each time, so `===` does not work.
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) ?? false }
}
