// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what it compares with stays out of Gatehouse's own dependencies.
let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "gatehouse", path: "../..")],
  targets: [
    .executableTarget(
      name: "QueueBenchmark",
      dependencies: [
        .product(name: "Gatehouse", package: "gatehouse"), .product(name: "GatehouseLocal", package: "gatehouse"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
