import Foundation
import GatehouseSystem

extension RunningProgram {
  /// Waits on a thread of its own until the program has ended, because a program may run for ever.
  ///
  /// - Parameter ended: runs after the program has ended, and before its process ID becomes free for another process.
  func ending(_ ended: @escaping @Sendable () -> Void = {}) async -> Ending {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // There is no ending only if the program was already waited for.
        continuation.resume(returning: (try? wait(ended: ended)) ?? .exited(1))
      }
    }
  }
}

extension Program {
  /// Starts the program, and waits until it has ended. One thread does both, because a program can ask the kernel to be
  /// ended together with the thread that started it.
  ///
  /// - Parameters:
  ///   - starting: starts the program.
  ///   - ended: runs after the program has ended, and before its process ID becomes free for another process.
  func ending(
    starting: @escaping @Sendable (Program) throws(SystemError) -> RunningProgram,
    ended: @escaping @Sendable () -> Void
  ) async throws(SystemError) -> RunningProgram.Ending {
    let result: Result<RunningProgram.Ending, SystemError> = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let result = Result<RunningProgram.Ending, SystemError> { () throws(SystemError) in
          let running = try starting(self)
          return (try? running.wait(ended: ended)) ?? .exited(1)
        }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}
