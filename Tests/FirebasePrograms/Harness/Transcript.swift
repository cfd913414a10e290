import Synchronization

/// The lines that a program has printed.
final class Transcript: Sendable {
  static let shared = Transcript()

  private let printed = Mutex<[String]>([])

  var lines: [String] { printed.withLock { $0 } }

  func begin() { printed.withLock { $0 = [] } }
  func append(_ line: String) { printed.withLock { $0.append(line) } }
}

/// The programs call this in place of the standard library's.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  Transcript.shared.append(items.map { String(describing: $0) }.joined(separator: separator))
}
