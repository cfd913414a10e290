import Dispatch

// How this module calls Dispatch: directly, unless a scheduler is installed.
extension DispatchQueue {
  /// `async` on a serial queue. `targets` are the serial queues that it targets, nearest first.
  func async(
    step name: StaticString, within targets: @autoclosure () -> [DispatchQueue] = [],
    _ block: @escaping @Sendable () -> Void
  ) {
    guard let scheduler = Schedule.current else { return async(execute: block) }
    scheduler.async(name, on: .serial(self, within: targets()), after: 0, block)
  }

  /// `asyncAfter` on a serial queue.
  func async(
    step name: StaticString, within targets: @autoclosure () -> [DispatchQueue] = [], after seconds: Double,
    _ block: @escaping @Sendable () -> Void
  ) {
    guard let scheduler = Schedule.current else { return asyncAfter(deadline: .now() + seconds, execute: block) }
    scheduler.async(name, on: .serial(self, within: targets()), after: seconds, block)
  }

  /// `async` on a concurrent queue.
  func async(concurrentStep name: StaticString, _ block: @escaping @Sendable () -> Void) {
    guard let scheduler = Schedule.current else { return async(execute: block) }
    scheduler.async(name, on: .concurrent, after: 0, block)
  }

  /// `asyncAfter` on a concurrent queue.
  func async(concurrentStep name: StaticString, after seconds: Double, _ block: @escaping @Sendable () -> Void) {
    guard let scheduler = Schedule.current else { return asyncAfter(deadline: .now() + seconds, execute: block) }
    scheduler.async(name, on: .concurrent, after: seconds, block)
  }

  /// Waits for the turn of a `sync` on this serial queue. End the turn after the call. `nil` if Dispatch runs the
  /// queue.
  func turn(_ name: StaticString, within targets: @autoclosure () -> [DispatchQueue] = []) -> Turn? {
    guard let scheduler = Schedule.current else { return nil }
    let lane = Lane.serial(self, within: targets())
    scheduler.beginTurn(name, on: lane)
    return Turn(scheduler: scheduler, lane: lane)
  }

  /// Suspends a queue whose blocks are steps, until the suspension's `end`.
  func suspendSteps() -> Suspension {
    let scheduler = Schedule.current
    if let scheduler { scheduler.suspend(.serial(self, within: [])) } else { suspend() }
    return Suspension(queue: self, scheduler: scheduler)
  }

  /// A suspended queue, which begins no block.
  ///
  /// The suspension ends where it began, in the scheduler or in Dispatch. A scheduler may have been installed or
  /// removed since then, and Dispatch stops a process that resumes a queue which it did not suspend, or releases a
  /// queue which it did suspend.
  struct Suspension: Sendable {
    fileprivate let queue: DispatchQueue
    fileprivate let scheduler: (any StepScheduler)?

    /// Called once.
    func end() {
      if let scheduler { scheduler.resume(.serial(queue, within: [])) } else { queue.resume() }
    }
  }

  /// A synchronous call's turn on a queue.
  struct Turn {
    fileprivate let scheduler: any StepScheduler
    fileprivate let lane: Lane

    func end() { scheduler.endTurn(on: lane) }
  }
}
