/// The resources that were made at one place in the program, under one name.
///
/// An observation of one resource counts for its whole class, as in the kernel's lockdep.
package struct ResourceClass: Sendable, Hashable {
  /// The kind of a resource that a thread can wait for.
  package enum Kind: String, Sendable, Hashable {
    /// A serial or a concurrent queue. The block that runs on it holds it.
    case queue
    /// A lock. The thread that locked it holds it.
    case lock
    /// A serial task queue. The operation that runs on it holds it.
    case taskQueue = "task queue"
    /// A semaphore, a group, or another resource that one thread signals and another waits for.
    case signal
  }

  /// The noun for code that runs once: the initializer of a lazy global.
  package static let initializer = "initializer"

  package let kind: Kind
  /// The noun for it in reports: `queue`, `semaphore`.
  package let noun: String
  /// The label that the program gave it, or the name of the variable; empty if it has none. Hidden characters are
  /// escaped.
  package let label: String
  /// The file and line where its resources are made; empty if unknown.
  package let site: String
  /// The function and the file, without a line; empty if unknown.
  private let place: String
  /// Its number among the classes that the same function makes, and among those on the same line; from 1.
  private let number, numberOnLine: Int
  /// A function that leads to the class's maker, and a number from 1. Together they distinguish the class from others
  /// with its name in the same report.
  var maker = "", ordinal = 1

  /// - Parameters:
  ///   - noun: the noun in reports; `nil`: that of the kind.
  ///   - maker: the function and the file that make its resources, without a line; empty: the site, without its line.
  ///   - number: the class's number among those without a label that the same function makes, in order of lines; from
  ///     1.
  ///   - numberOnLine: the same among those on the same line.
  package init(
    _ kind: Kind, noun: String? = nil, label: String, site: String, maker: String = "", number: Int = 1,
    numberOnLine: Int = 1
  ) {
    self.kind = kind
    self.noun = noun ?? kind.rawValue
    self.label = label.withoutHiddenCharacters
    self.site = site.withoutHiddenCharacters
    place = maker.withoutHiddenCharacters
    (self.number, self.numberOnLine) = (number, numberOnLine)
  }

  /// The name of the class in the text of a report.
  package var name: String {
    let own = label.isEmpty ? (site.isEmpty ? "without a name" : site) + Self.suffix(numberOnLine) : label
    return "\(noun) \(own)\(distinction)"
  }

  /// The name of the class in suppressions. It has no line number, so it survives edits.
  package var lastingName: String {
    guard label.isEmpty else { return "\(noun) \(label)\(distinction)" }
    let place = place.isEmpty ? site.withoutLine : place
    return (place.isEmpty ? "\(noun) without a name" : "\(noun) in \(place)\(Self.suffix(number))") + distinction
  }

  private var distinction: String { (maker.isEmpty ? "" : ", by \(maker)") + Self.suffix(ordinal) }

  /// The line where its resources are made; 0 if unknown.
  var line: Int { Int(site.dropFirst(site.withoutLine.count).dropFirst()) ?? 0 }

  private static func suffix(_ number: Int) -> String { number > 1 ? " (\(number))" : "" }
}

extension String {
  /// The text without a line number such as `:12` at its end.
  var withoutLine: String {
    guard let colon = utf8.lastIndex(of: UInt8(ascii: ":")) else { return self }
    let digits = utf8[utf8.index(after: colon)...]
    return !digits.isEmpty && digits.allSatisfy { 48...57 ~= $0 } ? String(self[..<colon]) : self
  }

  /// The text with control characters, line ends and invisible characters escaped: labels and functions are text of the
  /// watched program.
  package var withoutHiddenCharacters: String {
    func hides(_ scalar: Unicode.Scalar) -> Bool {
      let properties = scalar.properties
      return [.control, .format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        || properties.isDefaultIgnorableCodePoint
    }
    guard unicodeScalars.contains(where: hides) else { return self }
    return unicodeScalars.map { hides($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
  }
}
