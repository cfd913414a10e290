// swift-tools-version: 6.2
import PackageDescription

let jose: Target.Dependency = .product(name: "GatehouseJOSE", package: "gatehouse")

// A package of its own: what it compares with stays out of Gatehouse's own dependencies.
let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "gatehouse", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "QueueBenchmark",
      dependencies: [
        .product(name: "Gatehouse", package: "gatehouse"), .product(name: "GatehouseLocal", package: "gatehouse"),
        .product(name: "GatehouseQueues", package: "gatehouse"),
        .product(name: "GatehouseTesting", package: "gatehouse"),
      ]),

    .executableTarget(
      name: "ProviderBenchmark",
      dependencies: [
        "Figures", "TokenSamples", .product(name: "Gatehouse", package: "gatehouse"),
        .product(name: "GatehouseLocal", package: "gatehouse"),
        .product(name: "IdentityToolkit", package: "gatehouse"),
      ]),

    // Only built by `scripts/bench server`.
    .executableTarget(
      name: "ServerBenchmark",
      dependencies: [
        "Figures", "TokenSamples", .product(name: "GatehouseServer", package: "gatehouse"),
        .product(name: "GatehouseBase", package: "gatehouse"), .product(name: "GatehouseQueues", package: "gatehouse"),
        .product(name: "GatehouseREST", package: "gatehouse"),
        .product(name: "IdentityToolkit", package: "gatehouse"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]),

    // Only built by `scripts/bench agent`, which builds the daemon, `gate`, beside it.
    .executableTarget(
      name: "AgentBenchmark",
      dependencies: [
        "Figures", .product(name: "GatehouseAgent", package: "gatehouse"),
        .product(name: "GatehouseLocal", package: "gatehouse"),
        .product(name: "GatehouseServer", package: "gatehouse"),
        .product(name: "GatehouseQueues", package: "gatehouse"),
        .product(name: "GatehouseTesting", package: "gatehouse"),
        .product(name: "IdentityToolkit", package: "gatehouse"),
      ]),

    .executableTarget(
      name: "WaitBenchmark", dependencies: [.product(name: "GatehouseQueues", package: "gatehouse")]),

    // Figures with a bound, as the programs print them.
    .target(name: "Figures"),
    // OpenSSL in a loop.
    .target(name: "CRaw", linkerSettings: [.linkedLibrary("crypto")]),
    // Takes malloc's place, in the one program that counts allocations.
    .target(name: "CAllocations", linkerSettings: [.linkedLibrary("crypto")]),
    // Which thread runs where.
    .target(name: "CProcessors"),
    // A token of Firebase's shape in each algorithm, with its keys.
    .target(name: "TokenSamples", dependencies: ["CRaw", jose]),
    .executableTarget(name: "TokenBenchmark", dependencies: ["CAllocations", "CProcessors", "TokenSamples", jose]),

    // Us beside others, one process each; the others are in Peers.
    .executableTarget(name: "GatehousePeer", dependencies: ["TokenSamples", jose]),
    .executableTarget(name: "RawPeer", dependencies: ["TokenSamples"]),
    .executableTarget(name: "PeerBenchmark", dependencies: ["TokenSamples", jose]),
  ],
  swiftLanguageModes: [.v6]
)
