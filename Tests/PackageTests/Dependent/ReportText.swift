/// A report of waits, as far as it is the same in every run and on every machine: without folders, line numbers,
/// threads, schedules, and what a test's output is indented by.
struct ReportText: Sendable, CustomStringConvertible {
  private let lines: [String]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.trimmingPrefix(/[\s↳]*/))
        .replacing(/(?:…|\/\S*)\/(\w+\.swift)/) { String($0.1) }
        .replacing(/(\.swift):\d+/) { "\($0.1):0" }
        .replacing(/\bthread \d+/, with: "thread 0")
        .replacing(/^schedule: \S+/, with: "schedule: 0")
    }
  }

  var description: String { lines.joined(separator: "\n") }

  /// Whether the lines of another text stand in this one, in one piece. Empty ones do not count.
  func contains(_ other: ReportText) -> Bool {
    let wanted = other.lines.filter { !$0.isEmpty }
    return !wanted.isEmpty && lines.filter { !$0.isEmpty }.contains(wanted)
  }
}
