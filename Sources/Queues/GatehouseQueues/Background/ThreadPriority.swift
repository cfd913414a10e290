import func Glibc.nice

/// The priority of a thread for the system's scheduler.
enum ThreadPriority {
  /// Lets other threads run before the calling one: while they want all processors, it gets about a tenth of one. This
  /// is permanent, because only an administrator may raise the priority again. Call it only on the SDK's own threads.
  ///
  /// On Linux a thread has a niceness of its own, and `nice` changes the caller's.
  static func lower() { _ = nice(10) }
}
