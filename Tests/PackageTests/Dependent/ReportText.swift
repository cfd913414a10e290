/// A report of waits, as far as it is the same in every run and on every machine: without folders, line numbers,
/// threads, schedules, colors, the line of Swift Testing's macro, and what a test's output is indented by.
struct ReportText: Sendable, CustomStringConvertible {
  private let lines: [String]

  init(_ text: String) {
    let own = text.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(separator: "\n").filter {
      !$0.contains("/swift-generated-sources/")
    }
    lines = own.map { line in
      String(line.trimmingPrefix(/[\s↳]*/))
        .replacing(/(?:…|\/\S*)\/(\w+\.swift)/) { String($0.1) }
        .replacing(/(\.swift):\d+/) { "\($0.1):0" }
        .replacing(/\bthread \d+/, with: "thread 0")
        .replacing("\u{A0}", with: " ")  // in names that have spaces
        .replacing(/^schedule: \S+/, with: "schedule: 0")
    }
  }

  var description: String { lines.joined(separator: "\n") }

  /// Whether this text contains the lines of another one without a gap. Empty lines do not count.
  func contains(_ other: ReportText) -> Bool {
    let wanted = other.lines.filter { !$0.isEmpty }
    return !wanted.isEmpty && lines.filter { !$0.isEmpty }.contains(wanted)
  }
}
