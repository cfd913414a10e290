import Figures
import Foundation

// ServerBenchmark [lookups | refreshes | crowd | kills | start | largest] [--json] [--seconds N]: the server under load
// by wrk, beside an empty route of Hummingbird's and beside OpenSSL in a loop. Ends with status 1 when a figure misses
// its bound.
let arguments = CommandLine.arguments
if arguments.dropFirst().first == "serve", arguments.count == 3 {
  try await ServedProcess.serve(arguments[2])
  exit(0)
}
let place = arguments.firstIndex(of: "--seconds")
let seconds = place.flatMap { arguments.indices.contains($0 + 1) ? Int(arguments[$0 + 1]) : nil } ?? 5
let folder = NSTemporaryDirectory() + "/gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)

let bench = ServerBench(folder: folder, seconds: seconds)
let all: [(name: String, figures: @Sendable () async throws -> [BoundedFigure])] = [
  ("lookups", bench.lookups), ("refreshes", bench.refreshes), ("crowd", bench.crowd), ("kills", bench.kills),
  ("start", bench.start), ("largest", bench.largest),
]
let wanted = all.filter { arguments.contains($0.name) }
var isKept = true
for (_, figures) in wanted.isEmpty ? all : wanted {
  for figure in try await figures() {
    print(arguments.contains("--json") ? figure.json : figure.line)
    isKept = isKept && figure.isKept
  }
}
try? FileManager.default.removeItem(atPath: folder)
exit(isKept ? 0 : 1)
