/// Decides what runs next, in place of Dispatch. A test installs one to run code in an order of its choice.
///
/// While one is installed, this module passes each step to it. A step is code that runs without a break: a block of a
/// queue, a part of a task between two suspensions, a callback. Called on the threads that run steps.
package protocol StepScheduler: AnyObject, Sendable {
  /// Accepts a step, and runs it once when its lane is free and `seconds` have passed.
  func async(
    _ name: StaticString, on lane: Lane, after seconds: Double, _ step: @escaping @Sendable () -> Void)

  /// Waits until a synchronous call has its turn on the lane. The call then has the lane until `endTurn`.
  func beginTurn(_ name: StaticString, on lane: Lane)
  func endTurn(on lane: Lane)

  /// Begins no step of the lane until `resume` has been called as often.
  func suspend(_ lane: Lane)
  func resume(_ lane: Lane)

  /// Records that a caller waits for a result, until `endWait` with the returned value. Used in the report when nothing
  /// can run any more.
  func beginWait(_ description: @escaping @Sendable () -> String) -> Int
  func endWait(_ wait: Int)
}
