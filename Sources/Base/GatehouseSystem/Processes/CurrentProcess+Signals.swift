import Glibc
import Synchronization

extension CurrentProcess {
  /// Does what a signal does by default, though this program handles it: ends the program, or stops it; then this
  /// returns when the program goes on.
  ///
  /// - Parameter others: they too do what they do by default meanwhile, so that a stopped program can be ended.
  package static func obey(_ signal: Signal, meanwhile others: [Signal] = []) {
    try? withDefaultActions(of: [signal] + others) { () throws(SystemError) in
      // The signal goes to this thread alone, so no other one has to let it in.
      raise(signal.rawValue)
    }
  }

  /// Runs `body` while the signals do what they do by default, though this program handles them. One thread at a time:
  /// two would restore each other's actions.
  static func withDefaultActions(
    of signals: [Signal], _ body: () throws(SystemError) -> Void
  ) throws(SystemError) {
    try defaultActions.withLock { _ throws(SystemError) in
      var mask = sigset_t(), maskBefore = sigset_t()
      // `unsafe`: the kernel and the C library read and write the one `sigaction` and `sigset_t` that they are given.
      unsafe sigemptyset(&mask)
      let empty = sigaction()
      var before = Array(repeating: empty, count: signals.count)
      for (index, signal) in signals.enumerated() {
        var standard = empty
        unsafe standard.__sigaction_handler.sa_handler = SIG_DFL
        unsafe sigaction(signal.rawValue, &standard, &before[index])
        unsafe sigaddset(&mask, signal.rawValue)
      }
      unsafe pthread_sigmask(SIG_UNBLOCK, &mask, &maskBefore)
      defer {
        unsafe pthread_sigmask(SIG_SETMASK, &maskBefore, nil)
        for (index, signal) in signals.enumerated() { unsafe sigaction(signal.rawValue, &before[index], nil) }
      }
      try body()
    }
  }

  private static let defaultActions = Mutex(())

  /// Runs `body` with a signal blocked on this thread.
  static func blocking<R>(_ signal: Signal, _ body: () throws(SystemError) -> R) throws(SystemError) -> R {
    var mask = sigset_t(), maskBefore = sigset_t()
    // `unsafe`: the C library reads and writes the one `sigset_t` that it is given.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, signal.rawValue)
    unsafe pthread_sigmask(SIG_BLOCK, &mask, &maskBefore)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &maskBefore, nil) }
    return try body()
  }

  /// Whether `SIGPIPE` was ignored before `ignoreBrokenPipe()`: the starter of this program wants it so.
  static let brokenPipeWasIgnored = Signal.brokenPipe.isIgnored

  /// Makes a write to a closed pipe an error with a reason; otherwise `SIGPIPE` would end the program. Programs that
  /// this one starts do not inherit it.
  package static func ignoreBrokenPipe() {
    _ = brokenPipeWasIgnored
    Glibc.signal(SIGPIPE, SIG_IGN)
  }

  /// Has a signal do what it does by default, unless it is ignored: the Swift runtime prints a crash report when the
  /// terminal's keys ask the program to quit.
  package static func restoreDefault(of signal: Signal) {
    if !signal.isIgnored { Glibc.signal(signal.rawValue, SIG_DFL) }
  }
}
