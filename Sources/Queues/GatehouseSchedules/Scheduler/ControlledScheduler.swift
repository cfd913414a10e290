import Dispatch
import GatehouseQueues
import Glibc

/// Runs all steps of a program one after another, in an order that a chooser picks, with a clock of its own.
///
/// One thread at a time runs steps: the one that has the baton. A synchronous call that must wait for its turn blocks
/// its thread, as it would without the scheduler, and passes the baton to another thread, a worker. When the call's
/// turn is picked, the baton comes back. So a schedule without such waits runs on one thread, and each waiting caller
/// needs one more.
///
/// The chooser picks the next step, or the start of a synchronous call, wherever more than one is possible. Each step
/// runs alone. For code that shares state only through queues, tasks and callbacks, this still allows every order of
/// events.
final class ControlledScheduler: StepScheduler {
  private let state = Lock(State())
  /// Called when a schedule has ended while the thread that began it waits forever inside it.
  private let abandoned: @Sendable (ScheduleOutcome) -> Void

  init(abandoned: @escaping @Sendable (ScheduleOutcome) -> Void) { self.abandoned = abandoned }

  // MARK: Steps from the queues

  func async(
    _ name: StaticString, on lane: Lane, after seconds: Double, _ step: @escaping @Sendable () -> Void
  ) {
    guard seconds == 0 else {
      return wake(at: now + seconds, number: nextNumber()) { self.async(name, on: lane, after: 0, step) }
    }
    state.withLock { state in
      state.checkThread(name)
      state.steps.add(name, .block(step), to: lane)
    }
  }

  func suspend(_ lane: Lane) {
    if case .serial(let queue, _) = lane { state.withLock { $0.steps.suspend(queue) } }
  }

  func resume(_ lane: Lane) {
    if case .serial(let queue, _) = lane { state.withLock { $0.steps.resume(queue) } }
  }

  func beginTurn(_ name: StaticString, on lane: Lane) {
    let worker: Worker? = state.withLock { state in
      guard state.checkThread(name), let worker = state.holder else { return nil }
      state.steps.add(name, .caller(worker), to: lane)
      return worker
    }
    guard let worker else { return }
    guard let next = decide() else { return strand(worker) }
    if case .caller(let next) = next.step.action, next === worker { return }
    hand(next)
    if case .proceed = worker.await() { take(worker) } else { strand(worker) }
  }

  func endTurn(on lane: Lane) {
    if case .serial(let queue, _) = lane { state.withLock { $0.steps.endTurn(on: queue) } }
  }

  func beginWait(_ description: @escaping @Sendable () -> String) -> Int {
    state.withLock { state in
      let number = state.takeNumber()
      state.waits[number] = description
      return number
    }
  }

  func endWait(_ wait: Int) { state.withLock { $0.waits[wait] = nil } }

  // MARK: Time

  /// Seconds since the schedule began.
  var now: Double { state.withLock { $0.now } }

  func nextNumber() -> Int { state.withLock { $0.takeNumber() } }

  /// Runs `body`, which may only make a step ready, when nothing else can run and this is the next alarm.
  func wake(at moment: Double, number: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.alarms[number] = State.Alarm(moment: moment, body: body) }
  }

  /// Cancels an alarm that has not been reached.
  func forget(_ number: Int) {
    let alarm = state.withLock { $0.alarms.removeValue(forKey: number) }
    withExtendedLifetime(alarm) {}  // its body is released outside the lock
  }

  /// Runs `body`, which may only make a step ready, when nothing else can run, before time passes.
  func whenSettled(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.settling.append(body) } }

  /// The picks so far.
  var picks: [Int] { state.withLock { $0.outcome().picks } }

  /// Records that the schedule has failed; the first failure counts.
  func fail(_ message: String) { state.withLock { $0.fail(message) } }

  // MARK: Running

  /// Runs one schedule from beginning to end. Called on the worker's thread.
  func run(
    _ chooser: Chooser, on root: Worker, recordsTrace: Bool = false,
    _ scenario: @escaping @Sendable (ScheduleContext) async throws -> Void
  ) -> ScheduleOutcome {
    state.withLock { $0.begin(chooser, on: root, recordsTrace: recordsTrace) }
    let context = ScheduleContext(self)
    _ = Task.detached {
      do {
        try await scenario(context)
      } catch {
        context.check(false, "the scenario threw \(error)")
      }
      self.state.withLock { $0.hasEnded = true }
    }
    work(as: root, hasBaton: true)
    return state.withLock { $0.outcome() }
  }

  /// Ends the idle workers.
  func close() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for worker in idle { worker.tell(.stop) }
  }

  /// Runs steps while this thread has the baton, and waits for orders while another thread has it.
  private func work(as worker: Worker, hasBaton: Bool) {
    var order = hasBaton ? .proceed : rest(worker)
    while true {
      switch order {
      case .stop: return
      case .proceed: break
      case .run(let taken): perform(taken)
      }
      order = .proceed  // releases what the step captured: a deinit is part of the step
      guard let next = decide() else {
        if !end(on: worker) { return }
        order = rest(worker)
        continue
      }
      guard case .caller(let caller) = next.step.action else {
        order = .run(next)
        continue
      }
      state.withLock { $0.idle.append(worker) }
      caller.tell(.proceed)
      order = rest(worker)
    }
  }

  /// Waits for orders without the baton, and takes the baton when they come.
  private func rest(_ worker: Worker) -> Worker.Order {
    let order = worker.await()
    take(worker)
    return order
  }

  private func take(_ worker: Worker) { state.withLock { $0.hold(worker) } }

  private func perform(_ taken: TakenStep) {
    guard case .block(let block) = taken.step.action else { return }
    let queue = taken.lanes.first.flatMap { lane in state.withLock { $0.steps.lanes[lane].queue } }
    if let queue, queue !== DispatchQueue.main {
      queue.sync { block() }
    } else {
      block()
    }
    state.withLock { $0.end(taken) }
  }

  /// Returns the next step; `nil` if nothing can run.
  private func decide() -> TakenStep? {
    while true {
      switch state.withLock({ $0.decide() }) {
      case .step(let taken): return taken
      case .wake(let bodies): for body in bodies { body() }
      case .rest: return nil
      }
    }
  }

  /// Passes the baton on, from a thread that waits for its turn.
  private func hand(_ taken: TakenStep) {
    if case .caller(let caller) = taken.step.action { return caller.tell(.proceed) }
    let worker = state.withLock { $0.idle.popLast() } ?? Worker { self.work(as: $0, hasBaton: false) }
    worker.tell(.run(taken))
  }

  /// Gives the baton to the thread that began the schedule, because nothing can run any more.
  ///
  /// - Returns: whether the worker must wait for orders again: not if it is the one that began the schedule.
  private func end(on worker: Worker) -> Bool {
    enum Place { case here, idle(Worker), blocked(ScheduleOutcome) }
    let place: Place = state.withLock { state in
      guard let root = state.root, root !== worker else { return .here }
      state.idle.append(worker)
      guard let index = state.idle.firstIndex(where: { $0 === root }) else { return .blocked(state.outcome()) }
      state.idle.remove(at: index)
      return .idle(root)
    }
    switch place {
    case .here: return false
    case .idle(let root): root.tell(.stop)
    case .blocked(let outcome): abandoned(outcome)
    }
    return true
  }

  /// Called when nothing can run any more and this thread waits in a synchronous call. Never returns.
  private func strand(_ worker: Worker) {
    enum Place { case idle(Worker), blocked(ScheduleOutcome) }
    let place: Place = state.withLock { state in
      guard let root = state.root, let index = state.idle.firstIndex(where: { $0 === root }) else {
        return .blocked(state.outcome())
      }
      state.idle.remove(at: index)
      return .idle(root)
    }
    switch place {
    case .idle(let root): root.tell(.stop)
    case .blocked(let outcome): abandoned(outcome)
    }
    while true { _ = worker.await() }
  }
}
