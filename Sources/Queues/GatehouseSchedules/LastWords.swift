import GatehouseQueues
import Glibc

/// Tells the schedule that was under way when the process crashes in it: a broken precondition is a finding too.
///
/// `unsafe`: a signal's handler is a C function, and the table of handlers is the process's. After the words the
/// process ends by the signal, as it would without them; a writer of stacks that was there before is not heard.
enum LastWords {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]
  private static let scheduler = Lock<ControlledScheduler?>(nil)

  /// From now on, until the next call, a crash tells what this scheduler runs.
  static func are(of new: ControlledScheduler?) {
    scheduler.withLock { $0 = new }
    _ = areHeard
  }

  private static let areHeard: Bool = {
    for signal in signals {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { LastWords.say($0) }
      // The default comes back, and the instruction that crashed with it.
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND) | UInt32(SA_NODEFER))
      unsafe sigaction(signal, &action, nil)
    }
    return true
  }()

  private static func say(_ signal: Int32) {
    alarm(5)  // the crash may have come while a lock was held that is asked for here
    guard let scheduler = scheduler.withLock({ $0 }) else { return }
    let text = "crashed by signal \(signal) in the schedule: \(ScheduleString.encode(scheduler.picks))\n"
    unsafe text.withCString { unsafe _ = write(STDERR_FILENO, $0, strlen($0)) }
  }
}
