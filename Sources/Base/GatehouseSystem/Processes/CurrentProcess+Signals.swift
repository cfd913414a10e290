import Glibc
import Synchronization

extension CurrentProcess {
  /// Performs a signal's default action, even though this program handles the signal: terminates the program, or stops
  /// it, in which case this returns when the program continues.
  ///
  /// - Parameter others: signals that also have their default actions meanwhile, so that a stopped program can be
  ///   terminated.
  package static func obey(_ signal: Signal, meanwhile others: [Signal] = []) {
    try? withDefaultActions(of: [signal] + others) { () throws(SystemError) in
      // The signal is sent to this thread only, so no other thread needs to unblock it.
      raise(signal.rawValue)
    }
  }

  /// Runs `body` with the signals' default actions, even though this program handles them. For one thread at a time:
  /// two would restore each other's actions.
  static func withDefaultActions(
    of signals: [Signal], _ body: () throws(SystemError) -> Void
  ) throws(SystemError) {
    try defaultActions.withLock { _ throws(SystemError) in
      var mask = sigset_t(), maskBefore = sigset_t()
      // `unsafe`: the kernel and the C library access the one `sigaction` and `sigset_t` that they are given.
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
    // `unsafe`: the C library accesses the one `sigset_t` that it is given.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, signal.rawValue)
    unsafe pthread_sigmask(SIG_BLOCK, &mask, &maskBefore)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &maskBefore, nil) }
    return try body()
  }

  /// Whether `SIGPIPE` was ignored before `ignoreBrokenPipe()`: this program inherited that from its parent.
  static let brokenPipeWasIgnored = Signal.brokenPipe.isIgnored

  /// Makes a write to a closed pipe an error; otherwise `SIGPIPE` would terminate the program. Programs that this one
  /// starts do not inherit this.
  package static func ignoreBrokenPipe() {
    _ = brokenPipeWasIgnored
    Glibc.signal(SIGPIPE, SIG_IGN)
  }

  /// Restores a signal's default action, unless it is ignored: the Swift runtime prints a crash report when the
  /// terminal's quit key is pressed.
  package static func restoreDefault(of signal: Signal) {
    if !signal.isIgnored { Glibc.signal(signal.rawValue, SIG_DFL) }
  }
}
