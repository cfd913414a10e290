import Figures
import Foundation

// AgentBenchmark [memory | answers | hang | outage | idle | crowd] [--json] [--seconds N]: the token daemon, `gate
// agent`, which must be built beside this program, and its machinery in this process. Ends with status 1 when a figure
// misses its bound.
let arguments = CommandLine.arguments
if arguments.dropFirst().first == "serve-empty", arguments.count == 3 {
  try await EmptyServer.serve(at: arguments[2])
  exit(0)
}
let place = arguments.firstIndex(of: "--seconds")
let seconds = place.flatMap { arguments.indices.contains($0 + 1) ? Double(arguments[$0 + 1]) : nil } ?? 4
let folder = NSTemporaryDirectory() + "/gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
try FileManager.default.createDirectory(
  atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])

let bench = DaemonBench(folder: folder, seconds: seconds)
let virtual = VirtualBench()
let all: [(name: String, figures: @Sendable () async throws -> [BoundedFigure])] = [
  ("memory", bench.memory), ("answers", bench.answers), ("hang", bench.hang), ("outage", virtual.outage),
  ("idle", { try await virtual.idle() + bench.idle() }), ("crowd", bench.crowd),
]
let wanted = all.filter { arguments.contains($0.name) }
var isKept = true
do {
  for (_, figures) in wanted.isEmpty ? all : wanted {
    for figure in try await figures() {
      print(arguments.contains("--json") ? figure.json : figure.line)
      isKept = isKept && figure.isKept
    }
  }
} catch {
  print("failed: \(error)")
  isKept = false
}
try? FileManager.default.removeItem(atPath: folder)
exit(isKept ? 0 : 1)
