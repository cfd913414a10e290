/// For tests: observes the system calls of this module, makes them fail, or ends the process at one.
package enum SystemFaults {
  /// Called with each call and its path before the call is made. If it returns an error number, the call fails with it.
  package typealias Ear = @Sendable (_ call: String, _ path: String) -> ErrorNumber?

  /// A class, because a closure as a task-local value crashes in release builds (Swift 6.3).
  private final class Listener: Sendable {
    let hear: Ear

    init(_ hear: @escaping Ear) { self.hear = hear }
  }

  @TaskLocal private static var listener: Listener?

  /// Runs `body`, and calls `hear` for each system call that it makes in this task.
  package static func heard<Result>(by hear: @escaping Ear, _ body: () throws -> Result) rethrows -> Result {
    try $listener.withValue(Listener(hear)) { try body() }
  }

  static func fault(at call: String, _ path: String) -> ErrorNumber? { listener?.hear(call, path) }
}
