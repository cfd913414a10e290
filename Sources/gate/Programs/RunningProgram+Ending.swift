import Foundation
import GatehouseSystem

extension RunningProgram {
  /// Returns when the program has ended. A thread of its own waits: a program may run for ever.
  ///
  /// - Parameter ended: runs when it has ended and its number is not yet free for another process.
  func ending(_ ended: @escaping @Sendable () -> Void = {}) async -> Ending {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        // Only a program that was waited for already has no ending.
        continuation.resume(returning: (try? wait(ended: ended)) ?? .exited(1))
      }
    }
  }
}

extension Program {
  /// Starts the program, and returns when it has ended. One thread of its own does both: a program can ask the kernel
  /// to end it with the thread that started it.
  ///
  /// - Parameters:
  ///   - starting: starts it.
  ///   - ended: runs when it has ended and its number is not yet free for another process.
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
