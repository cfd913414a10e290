// swift-tools-version: 6.2
import PackageDescription

// A package that asks for Gatehouse by a version, as its users' packages do: one program for each library product,
// which depends on that product alone. `scripts/packages` builds and runs them.
let products = [
  "Gatehouse", "GatehouseAdmin", "GatehouseAgent", "GatehouseAgentClient", "GatehouseAsyncHTTP", "GatehouseBase",
  "GatehouseConfiguration", "GatehouseCrypto", "GatehouseFirebase", "GatehouseFirebaseREST", "GatehouseHTTP",
  "GatehouseHummingbird",
  "GatehouseJOSE", "GatehouseLocal", "GatehouseQueues", "GatehouseREST", "GatehouseSchedules",
  "GatehouseServer", "GatehouseTesting", "GatehouseWaits", "IdentityToolkit",
]
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "products",
  dependencies: [.package(url: Context.environment["GATEHOUSE"] ?? "set GATEHOUSE to a repository", from: "1.0.0")],
  targets: products.map { product in
    .executableTarget(
      name: "Uses\(product)",
      dependencies: ([product] + (product == "GatehouseTesting" ? ["Gatehouse"] : [])).map {
        .product(name: $0, package: "gatehouse")
      },
      swiftSettings: strict)
  }
    // A test target is built by `swift build --build-tests` only.
    + [
      .testTarget(
        name: "UsesGatehouseDeadlocks",
        dependencies: [
          .product(name: "GatehouseDeadlocks", package: "gatehouse"),
          .product(name: "GatehouseQueues", package: "gatehouse"),
        ],
        path: "Sources/UsesGatehouseDeadlocks", swiftSettings: strict)
    ],
  swiftLanguageModes: [.v6]
)
