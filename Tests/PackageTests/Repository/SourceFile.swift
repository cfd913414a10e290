import Testing

/// A Swift source, as these tests read it.
struct SourceFile: Sendable, CustomTestStringConvertible {
  /// Relative to the package's root: `Sources/Auth/GatehouseCore/Engine/AuthEngine.swift`.
  let path: String
  let text: String
  /// The text with its comments blanked, line for line. Strings stay: they may raise a false alarm, and
  /// never hide anything.
  let code: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    code = Comments.blanked(in: text)
  }

  var testDescription: String { path }

  /// The folders between `Sources` or `Tests` and the file.
  private var folders: [String] { path.split(separator: "/").dropFirst().dropLast().map(String.init) }

  /// The wing: the folder below `Sources` or `Tests`.
  var wing: String { folders.first ?? "" }

  /// The module: the folder below its wing, or a wing that is one module, as the command is.
  var module: String { wing == "gate" ? wing : folders.dropFirst().first ?? "" }

  /// The folder of the module that the file lies in, or an empty string for a file at the module's top.
  var room: String { folders.dropFirst(wing == "gate" ? 1 : 2).first ?? "" }

  /// The modules that it imports, in whatever way.
  var imports: Set<String> {
    let line =
      /(?:^|;)[ \t]*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+[ \t]+)?import[ \t]+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)[ \t]+)?(\w+)/
    return Set(code.matches(of: line.anchorsMatchLineEndings()).map { String($0.1) })
  }

  /// The matches of a pattern in the code: `path:line`, and the line.
  ///
  /// - Parameter words: where they are given, lines without any of them are left out.
  func places(of pattern: String, amongLinesWith words: Set<String>? = nil) throws -> [String] {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { line in
      words.map { !$0.isDisjoint(with: Self.words(of: line.element)) } ?? true
    }
    if lines.isEmpty { return [] }  // to read a long pattern takes milliseconds
    let pattern = try Regex(pattern).wordBoundaryKind(.simple)
    return lines.filter { $0.element.contains(pattern) }.map { "\(path):\($0.offset + 1): \($0.element)" }
  }

  private static func words(of line: Substring) -> [String] {
    line.utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): false
      case UInt8(ascii: "0")...UInt8(ascii: "9"): false
      default: true
      }
    }
    .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the code contains a word.
  func names(_ word: String) throws -> Bool { try !places(of: "\\b\(word)\\b").isEmpty }
}
