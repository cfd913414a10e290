import func Glibc.nice

/// How eagerly the system gives a thread a processor.
enum ThreadPriority {
  /// Lets the threads of others go before this one: while they want all processors, it gets about a tenth of one. For
  /// good, since only an administrator may raise a thread again; so that it is for threads of one's own.
  ///
  /// On Linux a thread has a niceness of its own, and `nice` changes the caller's.
  static func lower() { _ = nice(10) }
}
