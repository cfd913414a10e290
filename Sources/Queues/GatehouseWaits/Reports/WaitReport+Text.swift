import GatehouseBase

extension WaitReport: CustomStringConvertible {
  /// The whole report as text of several lines, with names and stacks. The last line says how to suppress it.
  public var description: String {
    var lines = [headline, "", summary]
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
    lines += ["", "What to do: \(rule)", "\(suppressionHint) Guide: \(Self.guide)"]
    return lines.joined(separator: "\n")
  }

  /// The finding and its location, in one line.
  package var headline: String { "\(isNote ? "note: " : "")\(kind.rawValue): \(title)" }

  /// The document that explains reports.
  package static let guide = "Docs/deadlocks.md"

  private var suppressionHint: String {
    let entry: JSONObject = ["name": .string(name), "reason": "…", "expires": "YYYY-MM-DD"]
    return "To suppress it: \(String(decoding: entry.serialized(), as: UTF8.self))."
  }

  private static func section(_ title: String, _ frames: [Frame], otherwise: String) -> [String] {
    guard !frames.isEmpty else { return ["\(title)\(otherwise.isEmpty ? "" : " \(otherwise)")"] }
    return [title] + frames.map { "│         \($0)" }
  }
}
