import CGatehouseWaits
import Foundation
import GatehouseBase
import GatehouseWaits

/// The findings of one run.
struct QueueCheckOutcome: Sendable {
  private let findings: [WaitReport]
  private let programs: [RecordAnalysis]
  private let suppressed: Int
  private let lost: [String]
  private let processes: Int

  init(records: Records, stalls: [WaitReport], suppressions: Suppressions) {
    let chosen = records.chosen
    programs = chosen.map { record in
      let classes = record.classes
      return RecordAnalysis(
        classes: classes, dependencies: record.dependencies, waits: record.waits,
        names: ClassNames(classes, images: records.images(of: record)).waitNames)
    }
    let found = stalls + programs.flatMap(\.reports)
    let now = Date()
    findings = found.filter { !suppressions.covers($0, at: now) }
    suppressed = found.count - findings.count
    lost = chosen.flatMap(\.losses)
    processes = chosen.count
  }

  var hasFindings: Bool { !findings.isEmpty }
  private var blocked: [WaitReport] { programs.flatMap(\.blocked) }
  private var unattributed: [String] { programs.flatMap(\.unattributed) }

  func print(isVerbose: Bool) {
    var lines: [String] = []
    for (index, finding) in findings.enumerated() {
      lines += ["", "gate queuecheck: \(index + 1) of \(findings.count)", finding.description]
    }
    if isVerbose || hasFindings {
      let unattributed = unattributed
      if !unattributed.isEmpty {
        lines +=
          ["", "Waits for signals whose giver is unknown:"]
          + unattributed.map { "  \($0)" }
      }
      for report in blocked { lines += ["", "Note: \(report.description)"] }
      lines += lost
      if suppressed > 0 { lines.append("\(suppressed) finding(s) suppressed.") }
      if processes == 0 { lines.append("No process could be watched.") }
      lines += ["", "Not seen: Synchronization.Mutex, actors, locks inside C++ objects."]
    }
    if !lines.isEmpty { StandardError.write(line: lines.joined(separator: "\n").printable) }
  }

  var json: JSONObject {
    [
      "findings": .array(findings.map { .object($0.object) }), "blocked": .array(blocked.map { .object($0.object) }),
      "unattributed": .array(unattributed.map { .string($0) }), "suppressed": .number(JSONNumber(suppressed)),
      "lost": .array(lost.map { .string($0) }), "processes": .number(JSONNumber(processes)),
    ]
  }
}
