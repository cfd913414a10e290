import Foundation
import Gatehouse
import GatehouseLocal

// QueueBenchmark [ratios | backlog | crowd]: all of them, or one. Ends with status 1 when a figure is over its bound.
let folder = NSTemporaryDirectory() + "gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
let asked = CommandLine.arguments.dropFirst()
@MainActor func isAsked(_ part: String) -> Bool { asked.isEmpty || asked.contains(part) }

var figures: [Figure] = []
@MainActor func note(_ new: [Figure]) {
  for figure in new { print(figure.line) }
  figures += new
}

do {
  defer { try? FileManager.default.removeItem(atPath: folder) }
  if isAsked("ratios") {
    let auth = Auth(.init(backend: .local(directory: folder + "/provider")))
    note(try await Ratios(auth: auth, user: auth.signInAnonymously().user).run())
  }
  if isAsked("backlog") { note(try await Backlog().run()) }
  if isAsked("crowd") {
    StrictMode.turnOn()  // the processor time of every block is measured, and slow work stops the process
    note(try await Crowd(in: folder).run())
  }
}

let missed = figures.filter { !$0.isKept }
guard missed.isEmpty else {
  print("\n\(missed.count) figure(s) over the bound:")
  for figure in missed { print(figure.line) }
  exit(1)
}
