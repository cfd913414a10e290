// swift-tools-version: 6.2
import PackageDescription

// The compiler is the first reviewer. A dependent that names this package by a version sees none of these.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("InferIsolatedConformances"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let database: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name + "Tests", dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "gatehouse",
  products: [
    .library(name: "Gatehouse", targets: ["Gatehouse"]),
    .library(name: "GatehouseLocal", targets: ["GatehouseLocal"]),
    .library(name: "GatehouseJOSE", targets: ["GatehouseJOSE"]),
    .library(name: "GatehouseHTTP", targets: ["GatehouseHTTP"]),
    .library(name: "GatehouseQueues", targets: ["GatehouseQueues"]),
    .library(name: "GatehouseTesting", targets: ["GatehouseTesting"]),
    .executable(name: "gate", targets: ["gate"]),
    // Preloaded by `gate queuecheck`, which looks for it beside itself.
    .library(name: "gatehouse-queuecheck", type: .dynamic, targets: ["CGatehouseQueuecheck"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.5.0"),
  ],
  targets: [
    // From the ground up: a module imports only modules of the rows above it here (DESIGN: the layers).
    .systemLibrary(name: "CGatehouseOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // Many bytes at a time, by instructions that have no name in Swift: in C, for GatehouseBase alone.
    .target(name: "CGatehouseBytes"),
    module("GatehouseBase", ["CGatehouseBytes"]),
    // Who holds what and who asks for what: in C, because it is also preloaded in front of other programs.
    .target(name: "CGatehouseWaits"),
    .target(
      name: "CGatehouseQueuecheck", dependencies: ["CGatehouseWaits"],
      // Linked as Embedded Swift is, without the Swift runtime: it is preloaded into programs that have none.
      linkerSettings: [.unsafeFlags(["-enable-experimental-feature", "Embedded"])]),

    module("GatehouseQueues", ["GatehouseBase", "CGatehouseWaits", log]),
    module("GatehouseCrypto", ["GatehouseBase", "CGatehouseOpenSSL"]),

    module("IdentityToolkit", ["GatehouseBase"]),
    module("GatehouseJOSE", ["GatehouseBase", "GatehouseQueues", "GatehouseCrypto"]),
    module("GatehouseHTTP", ["GatehouseBase", "GatehouseQueues"]),

    module("GatehouseCore", ["GatehouseBase", "GatehouseQueues", "IdentityToolkit", log]),
    module(
      "GatehouseLocal",
      ["GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "GatehouseJOSE", "IdentityToolkit", database]),

    module(
      "Gatehouse",
      ["GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "GatehouseJOSE", "IdentityToolkit", "GatehouseCore", log]),

    module("GatehouseTesting", ["Gatehouse", "GatehouseBase", "GatehouseQueues", "IdentityToolkit"]),

    .executableTarget(
      name: "gate",
      dependencies: [
        "Gatehouse", "GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "GatehouseJOSE", "GatehouseHTTP",
        "GatehouseLocal", "IdentityToolkit", "CGatehouseWaits", log, arguments,
      ],
      swiftSettings: strict),

    // What `gate queuecheck` is tried on: it links nothing of ours.
    .executableTarget(
      name: "waiting-program", path: "Tests/WaitingProgram", swiftSettings: [.swiftLanguageMode(.v5)]),

    // The engine's contract under seeded schedules, in a process of its own: scripts/schedules runs it.
    .executableTarget(
      name: "EngineSchedules",
      dependencies: ["Gatehouse", "GatehouseQueues", "GatehouseTesting", "IdentityToolkit", log, arguments],
      path: "Tests/EngineSchedules", swiftSettings: strict),

    // What several test targets share.
    .target(
      name: "TestSupport", dependencies: ["GatehouseBase"], path: "Tests/TestSupport", swiftSettings: strict),
    tests(of: "GatehouseBase", ["GatehouseBase"]),
    tests(of: "GatehouseQueues", ["GatehouseQueues", "GatehouseBase", "GatehouseTesting"]),
    tests(of: "GatehouseCrypto", ["GatehouseCrypto", "GatehouseBase", "TestSupport"]),
    tests(
      of: "GatehouseJOSE",
      ["GatehouseJOSE", "GatehouseCrypto", "GatehouseQueues", "GatehouseBase", "GatehouseTesting", "TestSupport"]),
    tests(of: "GatehouseHTTP", ["GatehouseHTTP", "GatehouseQueues", "GatehouseBase", "GatehouseTesting"]),
    tests(of: "IdentityToolkit", ["IdentityToolkit", "GatehouseBase"]),
    tests(
      of: "GatehouseLocal",
      [
        "GatehouseLocal", "Gatehouse", "GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "GatehouseJOSE",
        "IdentityToolkit", "GatehouseTesting", database,
      ]),
    tests(
      of: "Gatehouse",
      [
        "Gatehouse", "GatehouseBase", "GatehouseQueues", "GatehouseCore", "GatehouseJOSE", "IdentityToolkit",
        "GatehouseTesting", log,
      ]),
    tests(of: "GatehouseTesting", ["GatehouseTesting", "GatehouseQueues", "GatehouseBase"]),
    // The package as its users meet it: the command, the scripts, the documents, the layers, forbidden programs.
    tests(of: "Package", ["Gatehouse", "GatehouseLocal", "GatehouseJOSE", "GatehouseTesting", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
