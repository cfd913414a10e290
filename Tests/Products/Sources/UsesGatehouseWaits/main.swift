import Foundation
import GatehouseWaits

/// What a program does with reports: it prints those that are not suppressed, for people or for programs.
func show(_ reports: [WaitReport], except known: Suppressions, asJSON: Bool) {
  for report in reports where !known.covers(report, at: Date()) {
    print(asJSON ? String(decoding: report.json(), as: UTF8.self) : report.description)
    for wait in report.waits { print("thread \(wait.thread) held \(wait.held) and waited for \(wait.asked)") }
  }
}

let list = #"[{"name": "queue a → queue b → queue a", "reason": "issue 7", "expires": "2027-01-31"}]"#
let known = try Suppressions(json: Array(list.utf8))
precondition(known.entries.map(\.expires) == [Date(timeIntervalSince1970: 1_801_353_600)])
show([], except: known, asJSON: true)
do {
  _ = try Suppressions(json: Array("[1]".utf8))
  preconditionFailure("a list that is not one of entries was accepted")
} catch let error as SuppressionError {
  print("GatehouseWaits: one known finding; another list was refused: \(error.message).")
}
