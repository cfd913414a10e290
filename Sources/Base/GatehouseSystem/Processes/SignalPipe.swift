import GatehouseBase
import Glibc
import Synchronization

/// Takes signals in as bytes of a pipe, so that one thread can wait for them and for its input at once, and decides
/// itself when each one counts. One at a time in a program.
///
/// No signal is lost: one that has come, and that the thread has not taken when this ends, does then what it would have
/// done without it. Dispatch's sources drop such a signal.
package final class SignalPipe {
  private let reading, writing: Int32
  private var before: [(signal: Signal, action: sigaction)] = []
  private var maskBefore = sigset_t()

  /// Where the handler writes. Made before a handler is there: initializing it in one would not be safe.
  private static let handlersEnd = Atomic<Int32>(-1)

  /// - Parameter signals: the signals to take in; this thread lets them in until `end()`.
  package init(_ signals: [Signal]) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two descriptors, and there is room for two.
    try systemCall("pipe", "signals") { unsafe pipe(&ends) }
    (reading, writing) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A handler must not wait, and what has come is read without waiting.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    Self.handlersEnd.store(writing, ordering: .sequentiallyConsistent)
    var mask = sigset_t()
    // `unsafe`: the kernel and the C library read and write the one `sigaction` and `sigset_t` that they are given.
    unsafe sigemptyset(&mask)
    for signal in signals {
      var action = sigaction(), old = sigaction()
      unsafe action.__sigaction_handler.sa_handler = Self.handler
      action.sa_flags = SA_RESTART
      unsafe sigaction(signal.rawValue, &action, &old)
      before.append((signal, old))
      unsafe sigaddset(&mask, signal.rawValue)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, &maskBefore)
  }

  /// Runs on any thread, in the middle of anything: only `write` is safe here.
  private static let handler: @convention(c) (Int32) -> Void = { number in
    let errorNumber = errno
    var byte = UInt8(truncatingIfNeeded: number)
    // `unsafe`: the kernel reads one byte, and this is one.
    _ = unsafe Glibc.write(SignalPipe.handlersEnd.load(ordering: .relaxed), &byte, 1)
    errno = errorNumber
  }

  /// Waits until a signal has come or a descriptor has input, and returns the signal; `nil` for input. Signals are
  /// first, in the order in which they came.
  package func next(orInputOf descriptor: Int32) throws(SystemError) -> Signal? {
    while true {
      if let signal = take() { return signal }
      var descriptors = [reading, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // `unsafe`: the kernel reads and writes two `pollfd`, and these are two.
      try systemCall("poll", "signals") { unsafe poll(&descriptors, 2, -1) }
      if descriptors[0].revents == 0, descriptors[1].revents != 0 { return nil }
    }
  }

  /// The next signal that has come; `nil` if there is none.
  private func take() -> Signal? {
    var byte: UInt8 = 0
    // `unsafe`: the kernel writes one byte, and this is one.
    let count = try? systemCall("read", "signals") { unsafe Glibc.read(reading, &byte, 1) }
    return count == 1 ? Signal(rawValue: Int32(byte)) : nil
  }

  /// Restores what the signals did before, and then has those that have come and were not taken do it.
  package func end() {
    // `unsafe`: as in the initializer.
    for index in before.indices { unsafe sigaction(before[index].signal.rawValue, &before[index].action, nil) }
    while let signal = take() { raise(signal.rawValue) }
    unsafe pthread_sigmask(SIG_SETMASK, &maskBefore, nil)
    Self.handlersEnd.store(-1, ordering: .sequentiallyConsistent)
    close(reading)
    close(writing)
  }
}
