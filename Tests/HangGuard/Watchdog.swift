import Glibc

/// Ends the process when nothing that it watches begins or ends for ten minutes.
///
/// A test that waits behind others is not taken for a hang, as long as the others begin and end. The watchdog counts its
/// own naps of a second and reads no clock: while the process is stopped, it counts nothing.
///
/// It has a thread of its own, which takes no signal: it needs no other thread, no queue, and no alarm of the process.
///
/// `@unchecked`, `unsafe`: the mutex protects all that changes. A watchdog is never destroyed: its thread uses it.
@safe package final class Watchdog: @unchecked Sendable {
  /// How long a hang may last: the one limit of all tests.
  package static let seconds = 600
  /// The exit status of a process that the watchdog has ended; `timeout(1)` has the same.
  package static let exitStatus: Int32 = 124
  /// The watchdog of this process.
  package static let shared = Watchdog(naps: seconds, ofMicroseconds: 1_000_000, notes: .shared)

  private let naps: Int
  private let microseconds: UInt32
  private let notes: EndNotes?
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var watched: [Int: String] = [:]
  private var lastID = 0
  private var napsWithoutChange = 0

  /// - Parameters:
  ///   - naps: how many naps without a change are a hang.
  ///   - notes: get the hang. A test that provokes one gives none.
  package init(naps: Int, ofMicroseconds microseconds: UInt32, notes: EndNotes? = nil) {
    self.naps = naps
    self.microseconds = microseconds
    self.notes = notes
    unsafe pthread_mutex_init(mutex, nil)
    startThread()
  }

  /// Watches something from now on.
  ///
  /// - Parameter name: what the message says did not end.
  /// - Returns: its number, for `end`.
  @discardableResult
  package func begin(_ name: String) -> Int {
    withLock {
      napsWithoutChange = 0
      lastID += 1
      watched[lastID] = name
      return lastID
    }
  }

  /// Stops watching something.
  package func end(_ id: Int) {
    withLock {
      napsWithoutChange = 0
      watched[id] = nil
    }
  }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }

  private func startThread() {
    var all = sigset_t(), before = sigset_t(), thread = pthread_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    let failure = unsafe pthread_create(
      &thread, nil,
      { unsafe Unmanaged<Watchdog>.fromOpaque($0!).takeRetainedValue().watch() },
      Unmanaged.passRetained(self).toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(failure == 0, "pthread_create failed with error \(failure)")
    pthread_detach(thread)
  }

  private func watch() -> Never {
    while true {
      usleep(microseconds)
      guard let names = withLock(namesAfterNap) else { continue }
      let seconds = Double(naps) * Double(microseconds) / 1e6
      let message =
        "Hang: for \(seconds) s nothing has begun or ended. Still running:\n" + names.map { "  \($0)\n" }.joined()
      notes?.add(hang: message)
      write(message)
      _exit(Self.exitStatus)
    }
  }

  /// Counts a nap; the names of what hangs, if it was the last one.
  private func namesAfterNap() -> [String]? {
    napsWithoutChange = watched.isEmpty ? 0 : napsWithoutChange + 1
    return napsWithoutChange < naps ? nil : watched.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Writes past `stderr`, whose lock may belong to a thread that hangs.
  private func write(_ text: String) {
    unsafe text.withCString { unsafe _ = Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }
}
