/// Decides in Dispatch's place what runs next. A test installs one to run code in an order of its choice.
///
/// While one is installed, this module passes each next step to it. A step is code that runs without a break: a
/// block of a queue, a part of a task between two waits, a callback. Called on the threads that run steps.
package protocol StepScheduler: AnyObject, Sendable {
  /// Takes a step, to run once when its lane is free and `seconds` have passed.
  func async(
    _ name: StaticString, on lane: Lane, after seconds: Double, _ step: @escaping @Sendable () -> Void)

  /// Returns when a synchronous call has its turn on the lane, which is then its own until `endTurn`.
  func beginTurn(_ name: StaticString, on lane: Lane)
  func endTurn(on lane: Lane)

  /// Begins no step of the lane until as many calls of `resume`.
  func suspend(_ lane: Lane)
  func resume(_ lane: Lane)

  /// A caller waits for a result, until `endWait` with the returned value. For the report when nothing can run any
  /// more.
  func beginWait(_ description: @escaping @Sendable () -> String) -> Int
  func endWait(_ wait: Int)
}
