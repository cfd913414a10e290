import GatehouseBase
import GatehouseSystem
import Synchronization

/// Where answers go. A failed write is an error: the reader of a pipe must not take silence for success.
enum StandardOutput {
  /// No program reads the answers any more, as with `gate demo | head -1`: the command ends, and says nothing.
  static let readerGone = AuthError(.storeFailed, "no program reads standard output any more")

  static func write(line: String) throws(AuthError) { try write(Array((line + "\n").utf8)) }

  /// Writes bytes unchanged; they are written when this returns.
  static func write(_ bytes: [UInt8]) throws(AuthError) {
    do throws(SystemError) { try InheritedDescriptor.output.write(bytes) } catch {
      guard error.number != .brokenPipe else { throw readerGone }
      throw AuthError(.storeFailed, "standard output could not be written: \(error)")
    }
  }
}

/// Where errors go.
enum StandardError {
  /// Writes an error with this program's name. Control characters are shown, not sent: some of the text is not ours.
  static func say(_ reason: String) { write(line: "gate: \(reason.printable)".fittedToErrors) }

  /// Writes a line unchanged. A failure to write it is ignored: there is nowhere left to report it.
  static func write(line: String) {
    if isQueued.load(ordering: .relaxed) { return queue.write(line: line) }
    try? InheritedDescriptor.error.write(Array((line + "\n").utf8))
  }

  /// From now on no write waits for a reader: for a program that must go on.
  static func waitForNoReader() { isQueued.store(true, ordering: .relaxed) }

  /// Before the program ends: gives the reader a second for what is not written yet.
  static func finish() { if isQueued.load(ordering: .relaxed) { queue.finish() } }

  private static let isQueued = Atomic(false)
  private static let queue = MessageQueue()
}

extension String {
  /// Text of other people's making within a line: as `printable`, with its line ends spelled out too, and with what
  /// cannot be seen.
  var shown: String {
    unicodeScalars.map { scalar in
      let category = scalar.properties.generalCategory
      let hides = [.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
      return hides || scalar.properties.isDefaultIgnorableCodePoint ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  /// The text with its control characters spelled out, so that no terminal obeys them; so are those that would show
  /// what follows in another order.
  var printable: String {
    unicodeScalars.map { scalar in
      let controls = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
      return controls && scalar != "\n" ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }
}
