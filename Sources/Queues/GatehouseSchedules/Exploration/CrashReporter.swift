import GatehouseQueues
import Glibc

/// Prints the schedule that is running when the process crashes: a failed precondition is also a finding.
///
/// `unsafe`: a signal handler is a C function, and the table of handlers belongs to the process. After the message, the
/// process ends by the signal, as it would without a handler. An earlier handler, such as one that prints a backtrace,
/// is not called.
enum CrashReporter {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]
  private static let scheduler = Lock<ControlledScheduler?>(nil)

  /// Sets the scheduler whose schedule is printed after a crash; `nil`: none.
  static func report(_ new: ControlledScheduler?) {
    scheduler.withLock { $0 = new }
    _ = isInstalled
  }

  private static let isInstalled: Bool = {
    for signal in signals {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { CrashReporter.write($0) }
      // The handler runs once. Then the default action is restored, and the crashing instruction runs again.
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND) | UInt32(SA_NODEFER))
      unsafe sigaction(signal, &action, nil)
    }
    return true
  }()

  private static func write(_ signal: Int32) {
    alarm(5)  // this thread may already hold a lock that is taken here
    guard let scheduler = scheduler.withLock({ $0 }) else { return }
    let text = "crashed by signal \(signal) in the schedule: \(ScheduleString.encode(scheduler.picks))\n"
    unsafe text.withCString { unsafe _ = Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }
}
