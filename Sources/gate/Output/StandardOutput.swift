import Foundation
import GatehouseBase

/// Where answers go. A line that could not be written is an error: who reads a pipe must not take silence for success.
enum StandardOutput {
  static func write(line: String) throws(AuthError) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw AuthError(.storeFailed, "standard output could not be written: \(error.localizedDescription)")
    }
  }
}

/// Where reasons go.
enum StandardError {
  /// A reason in this program's name. Control characters are shown, not sent: some of the text came from elsewhere.
  static func say(_ reason: String) { write(line: "gate: \(reason.printable)") }

  /// A line as it is; nobody can be told when it cannot be written.
  static func write(line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
}

extension String {
  /// The text with its control characters spelled out, so that no terminal obeys them.
  var printable: String {
    unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n" ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }
}
