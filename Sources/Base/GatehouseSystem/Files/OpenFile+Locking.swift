import GatehouseBase
import Glibc

extension OpenFile {
  package enum LockKind: Sendable { case shared, exclusive }

  /// Takes the file's lock, which ends when the file is closed. Returns false when another open file holds the lock, in
  /// this process or another.
  package borrowing func tryLock(_ kind: LockKind = .exclusive) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try systemCall("flock", path) { flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
      return true
    } catch {
      guard error.number == .wouldWait else { throw error }
      return false
    }
  }

  /// Takes the file's lock, and waits at most `patience` seconds for that; false when the lock stays held.
  ///
  /// Tries a hundred times a second, because a wait inside the kernel has no timeout.
  package borrowing func lock(_ kind: LockKind = .exclusive, patience: Double) throws(SystemError) -> Bool {
    let deadline = Double(SystemTime.monotonic) / 1e9 + patience
    while try !tryLock(kind) {
      guard Double(SystemTime.monotonic) / 1e9 < deadline else { return false }
      usleep(10_000)
    }
    return true
  }

  /// Ends the lock. Closing does so only when no program that was just being started has the file open as well.
  package borrowing func unlock() { _ = try? systemCall("flock", path) { flock(descriptor, LOCK_UN) } }

  /// The holder of the file's lock, as far as the system tells: `process 4242`, or `another program` when its number is
  /// not known here: it may run in another container.
  package borrowing func lockHolder() -> String {
    guard let name = try? status().lockName, let table = try? OpenFile("/proc/locks").readAll(limit: 4 << 20),
      let process = LockTable.process(holding: name, in: String(decoding: table, as: UTF8.self))
    else { return "another program" }
    return "process \(process)"
  }
}

/// The kernel's table of locks: `12: FLOCK  ADVISORY  WRITE 4242 08:01:131 0 EOF`. A line of a process that only waits
/// has an arrow for its second word.
enum LockTable {
  static func process(holding name: String, in table: String) -> Int? {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5] == name, let process = Int(words[4]), process > 0 else {
        continue
      }
      return process
    }
    return nil
  }
}
