import CGatehouseSchedules
import GatehouseQueues

/// The global concurrent executor under a controlled scheduler. It runs the parts of tasks that run on no queue of the
/// SDK.
///
/// The runtime exports a hook that it calls before it gives a job to its threads. `Task.yield`, `Task.sleep` and the
/// main actor bypass the hook (Swift 6.3): code under a controlled scheduler must use none of them.
///
/// `unsafe`: the hook's type is known only from the runtime's sources. Each job is run once.
enum GlobalExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Lets the installed scheduler run the jobs of Swift's threads. While none is installed, Swift's threads run them.
  ///
  /// - Returns: whether the runtime has the hook.
  static func takeOver() -> Bool { isTakenOver }

  private static let isTakenOver: Bool = {
    guard let address = unsafe gatehouse_enqueue_global_hook() else { return false }
    unsafe address.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
      guard let scheduler = Schedule.current else { return original(job) }
      scheduler.async("task", on: .concurrent, after: 0) { unsafe job.runSynchronously(on: generic) }
    }
    return true
  }()

  /// The generic executor, for code that is isolated to no actor: two words of zero, which no initializer makes.
  private static var generic: UnownedSerialExecutor {
    unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
