import CGatehouseWaits
import Foundation
import GatehouseBase
import GatehouseQueues

/// What a run brought to light.
struct QueueCheckOutcome: Sendable {
  private let findings: [WaitReport]
  private let programs: [ProgramFindings]
  private let suppressed: Int
  private let lost: [String]
  private let processes: Int

  init(folder: RecordFolder, stalls: [WaitReport], suppressions: Suppressions) {
    let records = folder.chosen
    programs = records.map { ProgramFindings($0, images: folder.images(of: $0)) }
    let found = stalls + programs.flatMap(\.reports)
    let now = Date().timeIntervalSince1970
    findings = found.filter { !suppressions.covers($0, at: now) }
    suppressed = found.count - findings.count
    lost = records.flatMap(\.losses)
    processes = records.count
  }

  var hasFindings: Bool { !findings.isEmpty }
  private var blocked: [WaitReport] { programs.flatMap(\.blocked) }
  private var unattributed: [String] { programs.flatMap(\.unattributed) }

  func print(isVerbose: Bool) {
    var lines: [String] = []
    for (place, finding) in findings.enumerated() {
      lines += ["", "gate queuecheck: \(place + 1) of \(findings.count)", finding.description]
    }
    if isVerbose || hasFindings {
      let unattributed = unattributed
      if !unattributed.isEmpty {
        lines +=
          ["", "Waits of which nothing can be said, for nobody is known who ends them:"]
          + unattributed.map { "  \($0)" }
      }
      for report in blocked { lines += ["", "Note: \(report.description)"] }
      lines += lost
      if suppressed > 0 { lines.append("\(suppressed) suppressed.") }
      if processes == 0 { lines.append("No process was seen that could be watched.") }
      lines += ["", "Not seen: Synchronization.Mutex, actors, locks inside of C++ objects."]
    }
    if !lines.isEmpty { StandardError.write(line: lines.joined(separator: "\n").printable) }
  }

  var json: JSONObject {
    [
      "findings": .array(findings.map { .object($0.json) }), "blocked": .array(blocked.map { .object($0.json) }),
      "unattributed": .array(unattributed.map { .string($0) }), "suppressed": .number(JSONNumber(suppressed)),
      "lost": .array(lost.map { .string($0) }), "processes": .number(JSONNumber(processes)),
    ]
  }
}

extension RecordFile {
  /// What did not fit.
  fileprivate var losses: [String] {
    [(Table.classes, GWR_CLASSES, "classes"), (.edges, GWR_EDGES, "waits"), (.waits, GWR_WAITS, "unattributed waits")]
      .compactMap { table, room, name in
        let lost = count(table) - Int(room)
        return lost > 0 ? "The record was full: \(lost) \(name) were lost." : nil
      }
  }
}
