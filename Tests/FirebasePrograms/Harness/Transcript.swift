import Foundation

/// The lines that a program has printed.
final class Transcript: @unchecked Sendable {
  static let shared = Transcript()

  private let lock = NSLock()
  private var printed: [String] = []

  var lines: [String] { lock.withLock { printed } }

  func begin() { lock.withLock { printed = [] } }
  func append(_ line: String) { lock.withLock { printed.append(line) } }
}

/// In place of the standard library's, for the programs.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  Transcript.shared.append(items.map { String(describing: $0) }.joined(separator: separator))
}
