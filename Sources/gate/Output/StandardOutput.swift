import GatehouseBase
import GatehouseSystem
import Synchronization

/// Where answers go. A failed write is an error, because the reader of a pipe must not mistake silence for success.
enum StandardOutput {
  /// No program reads the answers any more, as with `gate demo | head -1`. The command ends without a message.
  static let readerGone = AuthError(.storeFailed, "no program reads standard output any more")

  static func write(line: String) throws(AuthError) { try write(Array((line + "\n").utf8)) }

  /// Writes bytes unchanged. They are written when this returns.
  static func write(_ bytes: [UInt8]) throws(AuthError) {
    do throws(SystemError) { try InheritedDescriptor.output.write(bytes) } catch {
      guard error.number != .brokenPipe else { throw readerGone }
      throw AuthError(.storeFailed, "standard output could not be written: \(error)")
    }
  }
}

/// Where errors go.
enum StandardError {
  /// Writes an error after this program's name. Control characters are spelled out, because some of the text comes from
  /// others.
  static func say(_ reason: String) { write(line: "gate: \(reason.printable)".fittedToErrors) }

  /// Writes a line unchanged. If it cannot be written, that is ignored: there is nowhere left to report it.
  static func write(line: String) {
    if isQueued.load(ordering: .relaxed) { return queue.write(line: line) }
    try? InheritedDescriptor.error.write(Array((line + "\n").utf8))
  }

  /// From now on no write waits for a reader. This is for a program that must go on working.
  static func waitForNoReader() { isQueued.store(true, ordering: .relaxed) }

  /// Call this before the program ends. It gives the reader one second for what is not written yet.
  static func finish() { if isQueued.load(ordering: .relaxed) { queue.finish() } }

  private static let isQueued = Atomic(false)
  private static let queue = MessageQueue()
}

extension String {
  /// Text from others, for use within a line: as with `printable`, but its line ends and its invisible characters are
  /// spelled out too.
  var shown: String {
    unicodeScalars.map { $0.isHidden ? $0.escaped(asASCII: true) : String($0) }.joined()
  }

  /// The same JSON, with `\u` escapes for invisible characters. JSON has such characters only in its strings.
  var withHiddenEscapes: String {
    unicodeScalars.map { scalar in
      guard scalar.isHidden else { return String(scalar) }
      return String(scalar).utf16.map { unit in
        let number = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - number.count) + number
      }.joined()
    }.joined()
  }

  /// The text with its control characters spelled out, so that no terminal obeys them. Characters that would change the
  /// order of the text after them are spelled out too.
  var printable: String {
    unicodeScalars.map { scalar in
      let isControl = [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      return (isControl || scalar.properties.isBidiControl) && scalar != "\n"
        ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether the character is invisible within a line.
  fileprivate var isHidden: Bool {
    let isOfControl = [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    return isOfControl || properties.isDefaultIgnorableCodePoint
  }
}
