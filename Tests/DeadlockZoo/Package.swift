// swift-tools-version: 6.2
import PackageDescription

// The same programs twice (scripts/zoo builds both). RAW: with Dispatch and pthread alone, to be run under `gate
// queuecheck` and the thread sanitizer. KIT: with the queues and locks of GatehouseQueues, which the monitor watches.
let isKit = Context.environment["ZOO"] == "kit"
let kit: [Target.Dependency] = ["GatehouseQueues", "GatehouseWaits"].map { .product(name: $0, package: "gatehouse") }

let package = Package(
  name: "deadlock-zoo",
  dependencies: isKit ? [.package(name: "gatehouse", path: "../..")] : [],
  targets: [
    .executableTarget(
      name: "zoo",
      dependencies: isKit ? kit : [],
      swiftSettings: [.define(isKit ? "KIT" : "RAW"), .treatAllWarnings(as: .error)],
      // Dispatch finds a function of Loop.swift only if the program exports it.
      linkerSettings: isKit ? [] : [.unsafeFlags(["-Xlinker", "--export-dynamic"])])
  ],
  swiftLanguageModes: [.v6]
)
