import Foundation
import GatehouseBase

extension HomeFile {
  /// Takes the file's lock, and waits for that at most `patience` seconds. Blocks its thread, a background one.
  ///
  /// Throws `.providerUnavailable` when the lock stays held; the error names the file, and the process that holds it
  /// where the system tells.
  func lock(_ kind: LockKind, patience: Double) throws(AuthError) {
    let deadline = Double(SystemTime.monotonic) / 1e9 + patience
    while try !tryLock(kind) {
      guard Double(SystemTime.monotonic) / 1e9 < deadline else {
        let holder = try LockHolder.name(of: status())
        throw AuthError(
          .providerUnavailable, "\(holder) has held \(path) for \(patience) s; end it, or try again")
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }
}

/// Who holds a lock on a file, as far as the system tells.
enum LockHolder {
  /// `process 4242`, or `another program` when its number is not known here: it may run in another container.
  static func name(of file: FileStatus) -> String {
    guard let table = try? HomeFile(reading: "/proc/locks").contents(atMost: 4 << 20),
      let process = process(holding: file.lockName, in: String(decoding: table, as: UTF8.self))
    else { return "another program" }
    return "process \(process)"
  }

  /// Reads the kernel's table of locks: `12: FLOCK  ADVISORY  WRITE 4242 08:01:131 0 EOF`. A line of a process that
  /// only waits has an arrow for its second word.
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
