import Glibc

extension CurrentProcess {
  /// Does what a signal does by default, though a `SignalWatch` hears it: ends the program, or stops it; then this
  /// returns when the program goes on.
  package static func obey(_ signal: Signal) {
    var standard = sigaction(), before = sigaction()
    var mask = sigset_t(), maskBefore = sigset_t()
    // `unsafe`: the kernel and the C library read and write the one `sigaction` and `sigset_t` that they are given. The
    // signal goes to this thread alone, so no other one has to let it in.
    unsafe standard.__sigaction_handler.sa_handler = SIG_DFL
    unsafe sigaction(signal.rawValue, &standard, &before)
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, signal.rawValue)
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, &maskBefore)
    raise(signal.rawValue)
    unsafe pthread_sigmask(SIG_SETMASK, &maskBefore, nil)
    unsafe sigaction(signal.rawValue, &before, nil)
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
