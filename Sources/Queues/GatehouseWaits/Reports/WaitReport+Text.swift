extension WaitReport: CustomStringConvertible {
  /// The whole report as text of several lines, with names and stacks.
  public var description: String {
    var lines = ["\(kind.rawValue): \(name)", "", summary]
    for (index, wait) in waits.enumerated() {
      let isFirst = index == 0, isLast = index == waits.count - 1
      lines += [
        "", (isFirst ? "┌─▶ " : "│   ") + "\(wait.held)\(wait.heldSite.isEmpty ? "" : ", made at \(wait.heldSite)")",
      ]
      let how = wait.signal.map { " through \($0)" } ?? ""
      lines += Self.section("│     held since", wait.heldAt, otherwise: "it began to run")
      lines += Self.section("│     thread \(wait.thread) waited for \(wait.asked)\(how)", wait.askedAt, otherwise: "")
      if isLast { lines.append("└──── \(wait.asked)") }
    }
    lines += ["", "What to do: \(rule)"]
    return lines.joined(separator: "\n")
  }

  private static func section(_ title: String, _ frames: [Frame], otherwise: String) -> [String] {
    guard !frames.isEmpty else { return ["\(title)\(otherwise.isEmpty ? "" : " \(otherwise)")"] }
    return [title] + frames.map { "│         \($0)" }
  }
}
