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
