import Foundation
import GatehouseServer
import Hummingbird
import IdentityToolkit
import TokenSamples

// ServerBenchmark [lookups | refreshes | start] [--json] [--seconds N]: the server under load by wrk, beside an empty
// route of Hummingbird's and beside OpenSSL in a loop. Ends with status 1 when a figure misses its bound.
let arguments = CommandLine.arguments
let seconds = arguments.firstIndex(of: "--seconds").flatMap { Int(arguments[$0 + 1]) } ?? 5
let folder = NSTemporaryDirectory() + "/gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)

let bench = ServerBench(folder: folder, seconds: seconds)
let all: [(name: String, figure: @Sendable () async throws -> ServerFigure)] = [
  ("lookups", bench.lookups), ("refreshes", bench.refreshes), ("start", bench.start),
]
let wanted = all.filter { arguments.contains($0.name) }
var isKept = true
for (_, figure) in wanted.isEmpty ? all : wanted {
  let figure = try await figure()
  print(arguments.contains("--json") ? figure.json : figure.line)
  isKept = isKept && figure.isKept
}
try? FileManager.default.removeItem(atPath: folder)
exit(isKept ? 0 : 1)
