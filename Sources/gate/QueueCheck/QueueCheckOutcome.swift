import Foundation
import GatehouseBase
import GatehouseSystem
import GatehouseWaits

/// The findings of one run, with the suppressed ones, and with what could not be seen.
struct QueueCheckOutcome: Sendable {
  private let findings: [WaitReport]
  /// Facts that are worth knowing, but are not findings. They do not change the exit status.
  private let notes: [WaitReport]
  private let suppressed: [(report: WaitReport, reason: String)]
  private let uses: [SuppressionUse]
  private let programs: [RecordAnalysis]
  /// Tasks that blocked their threads. They are worth knowing, but are not findings.
  private let blocked: [WaitReport]
  /// What the record had no room for.
  private let incomplete: [String]
  /// The number of times that the program took a lock that no call initialized and whose address may be another lock
  /// later. Such locks are not followed.
  private let unknownLocks: UInt64
  private let processes: Int
  /// Whether any activity of a program was seen. A shell that only starts other programs has none.
  private let isWatched: Bool
  /// The programs that could not be watched, each with the reason.
  private let unwatched: [String]

  /// - Parameters:
  ///   - stalls: the findings from while the program ran.
  ///   - slow: waits that may only be slow, and lasted until the program ended. They become notes.
  ///   - unwatched: the programs that could not be watched, each with the reason.
  ///   - isEnded: whether the search for cycles shall end with what it has found so far.
  init(
    records: Records, stalls: [WaitReport], slow: [WaitReport] = [], suppressions: Suppressions,
    mainIsNoGuard: Bool, unwatched: [String], isEnded: @escaping @Sendable () -> Bool
  ) {
    let chosen = records.chosen
    programs = chosen.map { record in
      let classes = record.classes
      return RecordAnalysis(
        classes: classes, dependencies: record.dependencies, waits: record.waits,
        names: ClassNames(classes, images: records.images(of: record)).waitNames, mainIsNoGuard: mainIsNoGuard,
        isEnded: isEnded)
    }
    // A deadlock that has happened is not reported a second time as one that can happen.
    let happened = Set(stalls.map { Set($0.waits.map(\.held)) })
    let possible = programs.flatMap(\.reports).filter { report in
      report.kind != .potentialDeadlock || !happened.contains(Set(report.waits.map(\.held)))
    }
    // A thread that waits for itself and hangs is one finding. Its own report describes it better than the stall.
    let itself = Set(possible.filter { $0.kind == .waitForItself }.map { Set($0.waits.map(\.held)) })
    let hangs = stalls.filter { stall in
      stall.kind != .stall || stall.waits.count != 1 || !itself.contains(Set(stall.waits.map(\.held)))
    }
    let found = hangs + possible + programs.flatMap(\.notes) + slow.map(\.asNote)
    let now = Date()
    let known = found.map { (report: $0, entry: suppressions.entry(for: $0, at: now)) }
    let open = known.filter { $0.entry == nil }.map(\.report)
    findings = open.filter { !$0.isNote }
    notes = open.filter(\.isNote)
    suppressed = known.compactMap { report, entry in entry.map { (report, $0.reason) } }
    let blocks = programs.flatMap(\.blocked)
    blocked = blocks.filter { suppressions.entry(for: $0, at: now) == nil }
    uses = suppressions.uses(in: found + blocks, at: now)
    incomplete =
      chosen.flatMap(\.losses) + programs.flatMap(\.omissions) + records.losses
      + (isEnded() ? ["the search for cycles was ended by a signal"] : [])
    unknownLocks = chosen.reduce(0) { $0 + $1.unknownLocks }
    processes = chosen.count
    isWatched = !chosen.isEmpty && (unwatched.isEmpty || records.all.contains(where: \.hasWaits))
    self.unwatched = chosen.isEmpty && unwatched.isEmpty ? [Self.nothingCame] : unwatched
  }

  private static let nothingCame = """
    no process sent a record: none loaded \(ProgramImages.ownName), or there was no room for one \
    (raise the limits: ulimit -f, -n, -v)
    """

  var hasFindings: Bool { !findings.isEmpty }
  private var unattributed: [String] { programs.flatMap(\.unattributed) }

  /// Returns the exit status, as described in `gate help queuecheck`.
  func status(of ending: RunningProgram.Ending, report: Int32, mustBeComplete: Bool) -> Int32 {
    if hasFindings { return report }
    if !isWatched { return ExitStatus.usage }
    if mustBeComplete, !incomplete.isEmpty { return ExitStatus.incompleteRecord }
    return ending.status
  }

  func print(isVerbose: Bool) {
    var lines: [String] = []
    for (index, finding) in findings.enumerated() {
      lines += ["", "gate queuecheck: \(index + 1) of \(findings.count)", finding.description]
    }
    for note in notes + blocked.map(\.asNote) { lines += ["", "gate queuecheck:", note.description] }
    if isVerbose || hasFindings {
      let unattributed = unattributed
      if !unattributed.isEmpty {
        lines +=
          ["", "Waits for signals whose giver is unknown:"]
          + unattributed.map { "  \($0)" }
      }
      if !suppressed.isEmpty {
        lines.append(counted(suppressed.count, "finding was", "findings were") + " suppressed.")
      }
      lines.append("")
      if isVerbose {
        lines += ["Not seen:"] + Unseen.all.map { "- \($0)" }
      } else {
        lines.append("Not everything can be seen: --verbose lists what cannot.")
      }
    }
    lines += uses.compactMap(\.advice).map { "gate queuecheck: \($0)" }
    lines += incomplete.map { "gate queuecheck: the record was incomplete: \($0)" }
    if unknownLocks > 0 {
      let times = counted(unknownLocks, "time", "times")
      lines.append("gate queuecheck: locks of unknown origin were taken \(times), and not followed")
    }
    if !isWatched || isVerbose || hasFindings {
      let prefix = isWatched ? "not watched" : "nothing was watched"
      lines += unwatched.map { "gate queuecheck: \(prefix): \($0)" }
    }
    if !lines.isEmpty { StandardError.write(line: lines.joined(separator: "\n").printable) }
  }

  /// Prints one line for each finding and note, for GitHub's workflows, which also read standard error.
  func printAnnotations(root: String) {
    for report in findings + notes {
      StandardError.write(line: WorkflowCommands.line(for: report, root: root).printable)
    }
  }

  var json: JSONObject {
    func reports(_ reports: [WaitReport]) -> JSONValue { .array(reports.map { .object($0.object) }) }
    func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    return [
      "findings": reports(findings), "notes": reports(notes), "blocked": reports(blocked),
      "unattributed": texts(unattributed), "suppressed": .number(JSONNumber(suppressed.count)),
      "suppressions": .array(uses.map { .object($0.object) }), "incomplete": texts(incomplete),
      "unknownLocks": .number(JSONNumber(Int(clamping: unknownLocks))),
      "isWatched": .bool(isWatched), "notWatched": texts(unwatched), "processes": .number(JSONNumber(processes)),
    ]
  }

  /// Returns the findings and notes for code scanning. Suppressed findings are included, with the reason.
  func sarif(root: String) -> JSONObject {
    let open = (findings + notes).map { SARIFLog.Result($0) }
    let known = suppressed.map { SARIFLog.Result($0.report, suppression: $0.reason) }
    return SARIFLog(open + known, root: root).object
  }
}

extension RecordFile {
  /// Whether the process used dispatch or a lock.
  fileprivate var hasWaits: Bool { usesDispatch || !classes.isEmpty }
}

extension SuppressionUse {
  fileprivate var object: JSONObject {
    var object: JSONObject = [
      "name": .string(name), "state": .string(state.rawValue), "findings": .number(JSONNumber(findings)),
    ]
    object["newName"] = newName.map { .string($0) }
    return object
  }
}
