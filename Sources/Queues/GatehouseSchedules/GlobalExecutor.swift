import Dispatch
import GatehouseQueues
import Glibc

/// Swift's own threads, under a controlled scheduler: the parts of tasks that run on no queue of ours.
///
/// The runtime looks into a variable before it hands a job to its threads; it is exported for this. `Task.yield`,
/// `Task.sleep` and the main actor go past it (Swift 6.3): code under a controlled scheduler uses none of them.
///
/// `unsafe`: the variable is found by its name, and its type is known from the runtime's sources only. Jobs are run by
/// whoever took them, once.
enum GlobalExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Lets the installed scheduler run what Swift's threads would. Without an installed scheduler everything goes its
  /// usual way.
  ///
  /// - Returns: whether the runtime has the variable. One that is linked in statically has not.
  static func takeOver() -> Bool { isTakenOver }

  private static let isTakenOver: Bool = {
    guard let address = unsafe dlsym(nil, "swift_task_enqueueGlobal_hook") else { return false }
    unsafe address.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
      guard let scheduler = Schedule.current else { return original(job) }
      scheduler.async("task", on: .concurrent, after: 0) { unsafe job.runSynchronously(on: nobody) }
    }
    return true
  }()

  /// The executor of code that is isolated to no actor: two words of zero, and no initialiser makes it.
  private static var nobody: UnownedSerialExecutor {
    unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
