import Dispatch
import GatehouseQueues
import Glibc

/// Swift's own threads, under a controlled scheduler: the parts of tasks that no actor's queue runs.
///
/// The runtime asks a variable before it hands a job to its threads; it is exported for this. `Task.yield` and
/// `Task.sleep` go past it (Swift 6.3): code under a controlled scheduler uses neither.
///
/// `unsafe`: the variable is found by its name, and its type is known from the runtime's sources only. Jobs are run by
/// whoever took them, once.
enum GlobalExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Lets the installed scheduler run what Swift's threads and the main actor would. Once in a process; without an
  /// installed scheduler everything goes its usual way.
  ///
  /// - Returns: whether the runtime has the variables. One that is linked in statically has not.
  static func takeOver() -> Bool { isTakenOver }

  private static let isTakenOver: Bool = {
    set("swift_task_enqueueGlobal_hook") { job, original in
      guard let scheduler = Schedule.current else { return original(job) }
      scheduler.submit("task", to: .concurrent, after: 0) { unsafe job.runSynchronously(on: nobody) }
    }
      && set("swift_task_enqueueMainExecutor_hook") { job, original in
        guard let scheduler = Schedule.current else { return original(job) }
        scheduler.submit("main actor", to: .serial(.main, within: nil), after: 0) {
          unsafe job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        }
      }
  }()

  private static func set(_ name: String, _ hook: @escaping Hook) -> Bool {
    guard let address = unsafe dlsym(nil, name) else { return false }
    unsafe address.assumingMemoryBound(to: Hook?.self).pointee = hook
    return true
  }

  /// The executor of code that is isolated to no actor: two words of zero.
  private static var nobody: UnownedSerialExecutor {
    unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
