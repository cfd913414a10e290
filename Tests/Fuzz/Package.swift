// swift-tools-version: 6.2
import PackageDescription

// The fuzzer also looks at what only Gatehouse's own package may name. A package is called by the folder that it is in.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? "gatehouse"
let gatehouse = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

// A package of its own, because all that it depends on is built for fuzzing: scripts/fuzz has the flags.
let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "gatehouse", path: "../..")],
  targets: [
    .systemLibrary(name: "CFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "CFuzzer", .product(name: "GatehouseBase", package: "gatehouse"),
        .product(name: "GatehouseCrypto", package: "gatehouse"), .product(name: "GatehouseJOSE", package: "gatehouse"),
        .product(name: "GatehouseServer", package: "gatehouse"),
        .product(name: "IdentityToolkit", package: "gatehouse"),
      ],
      packageAccess: false,
      swiftSettings: [.unsafeFlags(["-package-name", gatehouse])],
      // gold refuses a program whose main is not the fuzzer's.
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ],
  swiftLanguageModes: [.v6]
)
