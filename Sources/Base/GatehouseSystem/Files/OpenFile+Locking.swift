import GatehouseBase
import Glibc

extension OpenFile {
  package enum LockKind: Sendable { case shared, exclusive }

  /// Acquires the file's lock, which is released when the file is closed. Returns `false` if another open file holds
  /// the lock, in this process or another.
  package borrowing func tryLock(_ kind: LockKind = .exclusive) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try systemCall("flock", path) { flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
      return true
    } catch {
      guard error.number == .wouldWait else { throw error }
      return false
    }
  }

  /// Acquires the file's lock, waiting at most `patience` seconds; returns `false` if the lock is still held then.
  ///
  /// Polls a hundred times a second, because a wait inside the kernel has no timeout.
  package borrowing func lock(_ kind: LockKind = .exclusive, patience: Double) throws(SystemError) -> Bool {
    let deadline = Double(SystemTime.monotonic) / 1e9 + patience
    while try !tryLock(kind) {
      guard Double(SystemTime.monotonic) / 1e9 < deadline else { return false }
      usleep(10_000)
    }
    return true
  }

  /// Releases the lock. Closing the file does so only if no program that is just being started also has the file open.
  package borrowing func unlock() { _ = try? systemCall("flock", path) { flock(descriptor, LOCK_UN) } }

  /// The holder of the file's lock, as far as the system reports it: `process 4242`, or `another program` if its
  /// process ID is unknown, for example because it runs in another container.
  package borrowing func lockHolder() -> String { lockHolderID().map { "process \($0)" } ?? "another program" }

  /// The process ID of the lock's holder; `nil` if it is unknown.
  package borrowing func lockHolderID() -> Int32? {
    guard let name = try? status().lockName else { return nil }
    // The kernel returns its table in parts, and skips a line at the end of a part when an earlier lock is released
    // meanwhile.
    for _ in 0..<10 {
      guard let table = try? OpenFile("/proc/locks").readAll(limit: 4 << 20) else { break }
      if let process = LockTable.process(holding: name, in: String(decoding: table, as: UTF8.self)) {
        return process
      }
    }
    return nil
  }
}

/// The kernel's table of locks: `12: FLOCK  ADVISORY  WRITE 4242 08:01:131 0 EOF`. In the line of a process that is
/// only waiting, the second word is an arrow.
enum LockTable {
  static func process(holding name: String, in table: String) -> Int32? {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5] == name, let process = Int32(words[4]), process > 0 else {
        continue
      }
      return process
    }
    return nil
  }
}
