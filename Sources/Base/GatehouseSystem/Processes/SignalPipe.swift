import GatehouseBase
import Glibc
import Synchronization

/// Delivers signals as bytes of a pipe, so that one thread can wait for both signals and input, and decides itself when
/// to process each one. Only one may exist in a program at a time.
///
/// No signal is lost: one that has arrived but was not taken when this ends has its original action then. Dispatch's
/// sources drop such a signal. The handler may run on any thread, even after `end()`. A signal that it receives then is
/// raised again with its original action.
package final class SignalPipe {
  /// The pipe that all instances share. It is never closed: a late handler must not write to another file that got the
  /// same descriptor.
  private let pipe: Ends
  private var before: [(signal: Signal, action: sigaction)] = []
  private var maskBefore = sigset_t()

  private struct Ends: Sendable {
    let reading, writing: Int32
  }

  private static let ends: Result<Ends, SystemError> = {
    do throws(SystemError) { return .success(try open()) } catch { return .failure(error) }
  }()

  /// The descriptors that the handler uses. Atomics, because initializing a lazy value in a handler is not safe.
  private static let handlersReadingEnd = Atomic<Int32>(-1), handlersWritingEnd = Atomic<Int32>(-1)
  /// Whether an instance receives the signals from the pipe.
  private static let isTaking = Atomic(false)

  private static func open() throws(SystemError) -> Ends {
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two descriptors, for which there is room.
    try systemCall("pipe", "signals") { unsafe Glibc.pipe(&ends) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A handler must not wait, and received signals are read without waiting.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    handlersReadingEnd.store(ends[0], ordering: .sequentiallyConsistent)
    handlersWritingEnd.store(ends[1], ordering: .sequentiallyConsistent)
    return Ends(reading: ends[0], writing: ends[1])
  }

  /// - Parameter signals: the signals to receive; this thread unblocks them until `end()`.
  package init(_ signals: [Signal]) throws(SystemError) {
    pipe = try Self.ends.get()
    Self.isTaking.store(true, ordering: .sequentiallyConsistent)
    var mask = sigset_t()
    // `unsafe`: the kernel and the C library access the one `sigaction` and `sigset_t` that they are given.
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

  /// Runs on any thread, at any point of its code: only `write`, `read` and `kill` are safe here.
  ///
  /// The handler first writes, then checks `isTaking`. `end()` first resets `isTaking`, then reads the pipe. So one of
  /// the two takes each signal.
  private static let handler: @convention(c) (Int32) -> Void = { number in
    let errorNumber = errno
    var byte = UInt8(truncatingIfNeeded: number)
    // `unsafe`: the kernel reads the one byte.
    _ = unsafe Glibc.write(SignalPipe.handlersWritingEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
    if !SignalPipe.isTaking.load(ordering: .sequentiallyConsistent) {
      // `unsafe`: the kernel writes the one byte.
      while unsafe Glibc.read(SignalPipe.handlersReadingEnd.load(ordering: .relaxed), &byte, 1) == 1 {
        // The signal's original action is restored already. The signal stays blocked until this handler returns.
        kill(getpid(), Int32(byte))
      }
    }
    errno = errorNumber
  }

  /// Waits until a signal has arrived or a descriptor has input. Returns the signal, or `nil` for input. Signals are
  /// returned first, in the order of their arrival.
  package func next(orInputOf descriptor: Int32) throws(SystemError) -> Signal? {
    while true {
      if let signal = take() { return signal }
      var descriptors = [pipe.reading, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // `unsafe`: the kernel accesses two `pollfd`, and the array has two.
      try systemCall("poll", "signals") { unsafe poll(&descriptors, 2, -1) }
      if descriptors[0].revents == 0, descriptors[1].revents != 0 { return nil }
    }
  }

  /// The next signal that has arrived; `nil` if there is none.
  private func take() -> Signal? {
    var byte: UInt8 = 0
    // `unsafe`: the kernel writes the one byte.
    let count = try? systemCall("read", "signals") { unsafe Glibc.read(pipe.reading, &byte, 1) }
    return count == 1 ? Signal(rawValue: Int32(byte)) : nil
  }

  /// Restores the signals' previous actions, and then raises the signals that arrived but were not taken.
  package func end() {
    // `unsafe`: as in the initializer.
    for index in before.indices { unsafe sigaction(before[index].signal.rawValue, &before[index].action, nil) }
    Self.isTaking.store(false, ordering: .sequentiallyConsistent)
    while let signal = take() { raise(signal.rawValue) }
    unsafe pthread_sigmask(SIG_SETMASK, &maskBefore, nil)
  }
}
