// swift-tools-version: 6.2
import PackageDescription

// The same programs twice (scripts/zoo builds both). RAW: as anybody writes them, with Dispatch and pthread alone, to
// be run under `gate queuecheck` and the thread sanitizer. KIT: with the queues and locks of GatehouseQueues, which
// watch themselves.
let isKit = Context.environment["ZOO"] == "kit"
let queues: Target.Dependency = .product(name: "GatehouseQueues", package: "gatehouse")

let package = Package(
  name: "deadlock-zoo",
  dependencies: isKit ? [.package(name: "gatehouse", path: "../..")] : [],
  targets: [
    .executableTarget(
      name: "zoo",
      dependencies: isKit ? [queues] : [],
      swiftSettings: [.define(isKit ? "KIT" : "RAW"), .treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
