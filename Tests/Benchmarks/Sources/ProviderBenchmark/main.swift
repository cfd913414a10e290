import Figures
import Foundation
import Gatehouse
import GatehouseLocal
import IdentityToolkit
import TokenSamples

// ProviderBenchmark [sign-ins | refreshes | rotating | cached | imports] [--json] [--seconds N]: the embedded provider
// beside OpenSSL in a loop, on all processors. Ends with status 1 when a figure misses its bound.
let arguments = CommandLine.arguments
let asJSON = arguments.contains("--json")
let seconds = arguments.firstIndex(of: "--seconds").flatMap { Double(arguments[$0 + 1]) } ?? 3
let folder =
  (arguments.firstIndex(of: "--folder").map { arguments[$0 + 1] } ?? NSTemporaryDirectory())
  + "/gatehouse-bench-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

let bench = ProviderBench(folder: folder, seconds: seconds)
let all: [(name: String, figure: @Sendable () async throws -> BoundedFigure)] = [
  ("sign-ins", bench.signIns), ("refreshes", { try await bench.refreshes(rotating: false) }),
  ("rotating", { try await bench.refreshes(rotating: true) }), ("cached", bench.cachedTokens),
  ("imports", bench.imports), ("imports", bench.memoryOfImports),
]
let wanted = all.filter { arguments.contains($0.name) }
var figures: [BoundedFigure] = []
for (_, figure) in wanted.isEmpty ? all : wanted { figures.append(try await figure()) }
for figure in figures { print(asJSON ? figure.json : figure.line) }
exit(figures.allSatisfy(\.isKept) ? 0 : 1)
