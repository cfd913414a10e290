// swift-tools-version: 6.2
import PackageDescription

/// Whether to build only what does without SwiftNIO, which takes minutes to build: `GATEHOUSE_WITHOUT_NIO=1`. Give such
/// a build a scratch path of its own. The rules are at the end.
let isWithoutNIO = Context.environment["GATEHOUSE_WITHOUT_NIO"] == "1"
/// The modules whose tests alone are built, with what they need: `GATEHOUSE_TESTS="Gatehouse GatehouseLocal"`.
let tested = Context.environment["GATEHOUSE_TESTS"]?.split(separator: " ").map(String.init)
/// The test sources that are not built, relative to the package: `scripts/test --sanitize thread` names them.
let untested = Context.environment["GATEHOUSE_TESTS_LEFT_OUT"]?.split(separator: " ").map(String.init) ?? []

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
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let http: [Target.Dependency] =
  ["Hummingbird", "HummingbirdCore"].map { .product(name: $0, package: "hummingbird") } + [
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "CoreMetrics", package: "swift-metrics"),
    .product(name: "Tracing", package: "swift-distributed-tracing"),
  ]
let asyncHTTP: [Target.Dependency] = [
  .product(name: "AsyncHTTPClient", package: "async-http-client"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// The folders of `Sources`, in order: a wing imports only wings before it, and a module only modules before it.
let wings: [(name: String, modules: [String])] = [
  ("Base", ["CGatehouseBytes", "GatehouseBase", "GatehouseSystem"]),
  (
    "Queues",
    [
      "CGatehouseWaits", "GatehouseWaits", "GatehouseQueues", "CGatehouseSchedules", "GatehouseSchedules",
      "CGatehouseQueuecheck",
    ]
  ),
  (
    "Tokens",
    [
      "CGatehouseOpenSSL", "GatehouseCrypto", "GatehouseHTTP", "GatehouseAsyncHTTP", "GatehouseJOSE",
    ]
  ),
  ("Auth", ["IdentityToolkit", "GatehouseCore", "Gatehouse", "GatehouseREST", "GatehouseAdmin"]),
  (
    "Provider",
    [
      "CGatehousePasswords", "GatehouseLocal", "GatehouseConfiguration", "GatehouseFirebase", "GatehouseFirebaseREST",
      "GatehouseHummingbird", "GatehouseServer",
    ]
  ),
  ("Agent", ["GatehouseAgentClient", "GatehouseAgent", "GatehouseAgentServer"]),
  ("Demo", ["GatehouseDemo", "gatehouse-demo"]),
  ("Testing", ["GatehouseDeadlocks", "GatehouseTesting"]),
]

/// `Sources/WING/MODULE`, and for its tests `Tests/WING/MODULETests`.
func path(of module: String, in folder: String = "Sources", suffix: String = "") -> String {
  let wing = wings.first { $0.modules.contains(module) }
  return wing.map { "\(folder)/\($0.name)/\(module)\(suffix)" } ?? "\(folder)/\(module)\(suffix)"
}

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: path(of: name), swiftSettings: strict)
}

func cModule(_ name: String, _ dependencies: [Target.Dependency] = [], linkerSettings: [LinkerSetting]? = nil) -> Target
{
  .target(name: name, dependencies: dependencies, path: path(of: name), linkerSettings: linkerSettings)
}

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  let folder = path(of: name, in: "Tests", suffix: "Tests")
  let excluded = untested.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
  return .testTarget(
    name: name + "Tests", dependencies: dependencies + ["HangGuard"], path: folder, exclude: excluded,
    swiftSettings: strict)
}

let products: [Product] = [
  .library(name: "GatehouseBase", targets: ["GatehouseBase"]),
  .library(name: "GatehouseWaits", targets: ["GatehouseWaits"]),
  .library(name: "GatehouseQueues", targets: ["GatehouseQueues"]),
  .library(name: "GatehouseSchedules", targets: ["GatehouseSchedules"]),
  .library(name: "GatehouseCrypto", targets: ["GatehouseCrypto"]),
  .library(name: "GatehouseHTTP", targets: ["GatehouseHTTP"]),
  .library(name: "GatehouseAsyncHTTP", targets: ["GatehouseAsyncHTTP"]),
  .library(name: "GatehouseJOSE", targets: ["GatehouseJOSE"]),
  .library(name: "IdentityToolkit", targets: ["IdentityToolkit"]),
  .library(name: "Gatehouse", targets: ["Gatehouse"]),
  .library(name: "GatehouseREST", targets: ["GatehouseREST"]),
  .library(name: "GatehouseAdmin", targets: ["GatehouseAdmin"]),
  .library(name: "GatehouseLocal", targets: ["GatehouseLocal"]),
  .library(name: "GatehouseConfiguration", targets: ["GatehouseConfiguration"]),
  .library(name: "GatehouseFirebase", targets: ["GatehouseFirebase"]),
  .library(name: "GatehouseFirebaseREST", targets: ["GatehouseFirebaseREST"]),
  .library(name: "GatehouseHummingbird", targets: ["GatehouseHummingbird"]),
  .library(name: "GatehouseServer", targets: ["GatehouseServer"]),
  .library(name: "GatehouseAgent", targets: ["GatehouseAgent"]),
  .library(name: "GatehouseAgentClient", targets: ["GatehouseAgentClient"]),
  .library(name: "GatehouseDeadlocks", targets: ["GatehouseDeadlocks"]),
  .library(name: "GatehouseTesting", targets: ["GatehouseTesting"]),
  .executable(name: "gate", targets: ["gate"]),
  // Preloaded by `gate queuecheck`, which looks for it beside itself.
  .library(name: "gatehouse-queuecheck", type: .dynamic, targets: ["CGatehouseQueuecheck"]),
]

let packages: [Package.Dependency] = [
  .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
  .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
  .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.5.0"),
  // Without its traits: it reads no JSON for us, follows no files and writes no log.
  .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
  // Without its traits: it reads no settings for us, and needs no whole Foundation.
  .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
  // What Hummingbird's own interface names.
  .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
  .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
  .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
  .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.6.0"),
  // TLS of connections, and nothing else: Hummingbird's own module for it cannot change its certificate.
  .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
  .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
  .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.25.0"),
]

let targets: [Target] = [
  // Base
  // Many bytes at a time, by instructions that have no name in Swift: in C, for GatehouseBase alone.
  cModule("CGatehouseBytes"),
  module("GatehouseBase", ["CGatehouseBytes"]),
  // Files, terminal, signals, programs: the one place with system calls. No product: its API is `package`.
  module("GatehouseSystem", ["GatehouseBase"]),

  // Queues
  // Which thread holds what and asks for what: in C, because it is also preloaded in front of other programs.
  cModule("CGatehouseWaits"),
  // What the record means, as pure functions of values.
  module("GatehouseWaits", ["GatehouseBase"]),
  module(
    "GatehouseQueues", ["GatehouseBase", "GatehouseSystem", "CGatehouseWaits", "GatehouseWaits", log]),
  // Runs all that goes through the queues in orders that are picked.
  // The runtime's hook, which only the linker finds in every kind of program.
  cModule("CGatehouseSchedules"),
  module("GatehouseSchedules", ["GatehouseBase", "GatehouseQueues", "CGatehouseSchedules"]),
  cModule(
    "CGatehouseQueuecheck", ["CGatehouseWaits"],
    // Linked as Embedded Swift is, without the Swift runtime: it is preloaded into programs that have none.
    linkerSettings: [.unsafeFlags(["-enable-experimental-feature", "Embedded"])]),

  // Tokens
  .systemLibrary(
    name: "CGatehouseOpenSSL", path: path(of: "CGatehouseOpenSSL"), pkgConfig: "libcrypto",
    providers: [.apt(["libssl-dev"])]),
  module("GatehouseCrypto", ["GatehouseBase", "CGatehouseOpenSSL"]),
  module("GatehouseHTTP", ["GatehouseBase"]),
  // Apart, because it links SwiftNIO: a program that brings its own transport, or its keys, needs none.
  module("GatehouseAsyncHTTP", ["GatehouseBase", "GatehouseQueues", "GatehouseHTTP"] + asyncHTTP),
  module("GatehouseJOSE", ["GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "GatehouseHTTP"]),

  // Auth
  module("IdentityToolkit", ["GatehouseBase"]),
  module("GatehouseCore", ["GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "IdentityToolkit", log]),
  module(
    "Gatehouse",
    [
      "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto", "GatehouseJOSE", "IdentityToolkit",
      "GatehouseCore", log,
    ]),
  // The calls over HTTP. Apart, because it links SwiftNIO.
  module(
    "GatehouseREST",
    [
      "Gatehouse", "GatehouseBase", "GatehouseQueues", "GatehouseHTTP", "GatehouseAsyncHTTP", "IdentityToolkit",
    ]),

  // What Firebase's Admin SDKs do, with a provider in this process or behind a server.
  module(
    "GatehouseAdmin",
    [
      "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto", "GatehouseHTTP",
      "GatehouseAsyncHTTP", "GatehouseJOSE", "IdentityToolkit", "GatehouseREST",
    ]),

  // Provider
  module(
    "GatehouseLocal",
    [
      "CGatehousePasswords", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto",
      "GatehouseHTTP", "GatehouseJOSE", "IdentityToolkit", database, log,
    ]),
  // The password hashes of other systems that OpenSSL has not: bcrypt and Argon2.
  .systemLibrary(name: "CGatehousePasswords", path: path(of: "CGatehousePasswords")),

  // The provider's options from a file and the environment. Apart, for programs that set their options in code.
  module(
    "GatehouseConfiguration",
    ["GatehouseLocal", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "IdentityToolkit", configuration]),

  // For programs that were written for Firebase: its names for the start of an app.
  module(
    "GatehouseFirebase",
    ["Gatehouse", "GatehouseLocal", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", log]),
  // The same with accounts at Google. Apart, because it links SwiftNIO.
  module(
    "GatehouseFirebaseREST", ["GatehouseFirebase", "GatehouseREST", "Gatehouse", "GatehouseBase", log]),

  // The users of requests, for servers that are written with Hummingbird. Apart, because it needs no provider.
  module(
    "GatehouseHummingbird",
    [
      "GatehouseBase", "GatehouseHTTP", "GatehouseJOSE", log,
      .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "HTTPTypes", package: "swift-http-types"),
    ]),

  // The protocol over HTTP, answered by the embedded provider.
  module(
    "GatehouseServer",
    [
      "GatehouseLocal", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto", "GatehouseHTTP",
      "GatehouseJOSE", "IdentityToolkit", log,
    ] + http),

  // Agent
  // Programs that ask the daemon use this one. It builds no server, no cryptography and no SwiftNIO.
  module("GatehouseAgentClient", ["GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseHTTP"]),
  // The token daemon. It needs no provider and no SwiftNIO: what answers the calls of a session comes in as a
  // `Backend`.
  module(
    "GatehouseAgent",
    [
      "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseJOSE", "IdentityToolkit", "GatehouseCore",
      "Gatehouse", log,
    ]),
  // The daemon's socket, its rules and its settings, for the command alone. No product: its API is `package`.
  module(
    "GatehouseAgentServer",
    [
      "GatehouseAgent", "GatehouseServer", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseHTTP", log,
      .product(name: "CoreMetrics", package: "swift-metrics"),
    ]),

  // Demo
  // The tour of `gate demo`. No product, and no SwiftNIO, so that `scripts/demo` builds its program within minutes.
  module(
    "GatehouseDemo",
    [
      "Gatehouse", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto", "GatehouseJOSE",
      "IdentityToolkit", "GatehouseLocal", log,
    ]),
  .executableTarget(
    name: "gatehouse-demo", dependencies: ["GatehouseDemo", "GatehouseSystem"], path: path(of: "gatehouse-demo"),
    swiftSettings: strict),

  // Testing
  // The only one that links a test framework.
  module("GatehouseDeadlocks", ["GatehouseWaits", "GatehouseQueues"]),
  module(
    "GatehouseTesting",
    ["Gatehouse", "GatehouseBase", "GatehouseQueues", "GatehouseCrypto", "GatehouseHTTP", "IdentityToolkit"]),

  // gate
  // QR codes in a terminal: for the command alone. It has no `pkgConfig`: SwiftPM would look that up for every
  // dependent, and warn those that have not installed what they do not need. `scripts/setup` installs it.
  .systemLibrary(name: "CGatehouseQRCode", path: "Sources/gate/CGatehouseQRCode"),
  .executableTarget(
    name: "gate",
    dependencies: [
      "Gatehouse", "GatehouseBase", "GatehouseSystem", "GatehouseWaits", "GatehouseQueues", "GatehouseCrypto",
      "GatehouseJOSE", "GatehouseHTTP", "GatehouseAsyncHTTP", "GatehouseREST", "GatehouseLocal",
      "GatehouseConfiguration", "GatehouseServer", "GatehouseDemo", "GatehouseAdmin", "GatehouseAgent",
      "GatehouseAgentClient", "GatehouseAgentServer", "IdentityToolkit", "CGatehouseWaits", "CGatehouseQRCode",
      log,
      arguments,
    ],
    exclude: ["CGatehouseQRCode"], swiftSettings: strict),

  // Tests
  // What `gate queuecheck` is tried on: it links nothing of ours.
  .executableTarget(
    name: "waiting-program", path: "Tests/WaitingProgram", swiftSettings: [.swiftLanguageMode(.v5)]),

  // Programs in the shapes of Firebase's documentation: a test of the package runs it. In Swift 5 mode, as most
  // programs for Firebase are; the same test checks them in Swift 6 mode.
  .executableTarget(
    name: "FirebasePrograms",
    dependencies: ["GatehouseFirebase", "GatehouseLocal", "GatehouseBase", "GatehouseCrypto", "HangGuard"],
    path: "Tests/FirebasePrograms",
    swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]),

  // The engine's contract under seeded schedules, in a process of its own: scripts/schedules runs it.
  .executableTarget(
    name: "EngineSchedules",
    dependencies: [
      "Gatehouse", "GatehouseAgent", "GatehouseQueues", "GatehouseSchedules", "GatehouseTesting", "IdentityToolkit",
      log, arguments,
    ],
    path: "Tests/EngineSchedules", swiftSettings: strict),

  // A provider that is killed, again and again, in processes of its own: scripts/crashes runs it.
  .executableTarget(
    name: "ProviderCrashes",
    dependencies: [
      "Gatehouse", "GatehouseLocal", "GatehouseBase", "GatehouseQueues", "GatehouseAgentClient", "IdentityToolkit",
      arguments, log,
    ],
    path: "Tests/ProviderCrashes", swiftSettings: strict),

  // A model of who owns what, run against a provider: in a test, and for longer by scripts/ownership.
  .target(
    name: "OwnershipModel",
    dependencies: [
      "GatehouseLocal", "GatehouseBase", "GatehouseQueues", "GatehouseSchedules", "GatehouseCrypto", "GatehouseHTTP",
      "GatehouseJOSE", "IdentityToolkit", "GatehouseTesting",
    ],
    path: "Tests/OwnershipModel", swiftSettings: strict),
  .executableTarget(
    name: "OwnershipSequences", dependencies: ["OwnershipModel", arguments], path: "Tests/OwnershipSequences",
    swiftSettings: strict),

  // What ends tests that hang. Of no dependencies, so that every test target can have it.
  .target(name: "HangGuard", path: "Tests/HangGuard", swiftSettings: strict),
  tests(of: "HangGuard", []),
  // What several test targets share.
  .target(
    name: "TestSupport",
    dependencies: [
      "HangGuard", "Gatehouse", "GatehouseBase", "GatehouseQueues", "GatehouseHTTP", "GatehouseTesting", log,
    ],
    path: "Tests/TestSupport", swiftSettings: strict),
  tests(of: "GatehouseBase", ["GatehouseBase"]),
  tests(of: "GatehouseSystem", ["GatehouseSystem", "GatehouseBase", "TestSupport"]),
  tests(of: "GatehouseWaits", ["GatehouseWaits", "GatehouseBase", "TestSupport"]),
  tests(
    of: "GatehouseQueues",
    [
      "GatehouseQueues", "GatehouseWaits", "GatehouseSchedules", "GatehouseBase", "GatehouseSystem", "GatehouseTesting",
    ]),
  tests(of: "GatehouseSchedules", ["GatehouseSchedules", "GatehouseQueues", "GatehouseBase"]),
  tests(of: "GatehouseCrypto", ["GatehouseCrypto", "GatehouseBase", "TestSupport"]),
  tests(
    of: "GatehouseJOSE",
    [
      "GatehouseJOSE", "GatehouseCrypto", "GatehouseHTTP", "GatehouseQueues", "GatehouseBase", "GatehouseTesting",
      "TestSupport",
    ]),
  tests(of: "GatehouseHTTP", ["GatehouseHTTP", "GatehouseBase", "GatehouseTesting", "TestSupport"]),
  tests(
    of: "GatehouseAsyncHTTP",
    [
      "GatehouseAsyncHTTP", "GatehouseHTTP", "GatehouseBase", "GatehouseTesting", "TestSupport",
      .product(name: "AsyncHTTPClient", package: "async-http-client"),
      .product(name: "NIOPosix", package: "swift-nio"),
    ]),
  tests(of: "IdentityToolkit", ["IdentityToolkit", "GatehouseBase"]),
  tests(
    of: "GatehouseLocal",
    [
      "GatehouseLocal", "Gatehouse", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto",
      "GatehouseJOSE", "GatehouseHTTP", "IdentityToolkit", "GatehouseTesting", "OwnershipModel", "TestSupport",
      database, log,
    ]),
  tests(
    of: "GatehouseConfiguration",
    ["GatehouseConfiguration", "GatehouseLocal", "GatehouseBase", "IdentityToolkit", configuration]),
  tests(
    of: "GatehouseFirebase",
    ["GatehouseFirebase", "GatehouseLocal", "GatehouseBase", "GatehouseQueues", "GatehouseTesting", "TestSupport"]),
  tests(
    of: "GatehouseFirebaseREST",
    [
      "GatehouseFirebaseREST", "GatehouseServer", "GatehouseLocal", "GatehouseBase", "GatehouseTesting", "TestSupport",
    ]),
  tests(
    of: "GatehouseHummingbird",
    [
      "GatehouseHummingbird", "GatehouseBase", "GatehouseJOSE", "GatehouseAsyncHTTP",
      .product(name: "Hummingbird", package: "hummingbird"),
      .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
      .product(name: "HTTPTypes", package: "swift-http-types"), log,
    ]),
  tests(
    of: "GatehouseServer",
    [
      "GatehouseServer", "GatehouseREST", "GatehouseAdmin", "GatehouseLocal", "GatehouseBase", "GatehouseSystem",
      "GatehouseQueues",
      "GatehouseHTTP", "GatehouseAsyncHTTP", "GatehouseJOSE", "GatehouseCrypto", "IdentityToolkit", "GatehouseTesting",
      "TestSupport", log,
      .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
      .product(name: "CoreMetrics", package: "swift-metrics"),
      .product(name: "Tracing", package: "swift-distributed-tracing"),
      .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
    ]),
  tests(
    of: "Gatehouse",
    [
      "Gatehouse", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseCrypto", "GatehouseCore",
      "GatehouseJOSE", "IdentityToolkit", "GatehouseTesting", "TestSupport", log,
    ]),
  tests(
    of: "GatehouseREST",
    [
      "GatehouseREST", "Gatehouse", "GatehouseBase", "GatehouseHTTP", "GatehouseAsyncHTTP", "GatehouseTesting",
      "IdentityToolkit", "TestSupport",
    ]),
  tests(
    of: "GatehouseAgent",
    [
      "GatehouseAgent", "Gatehouse", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "GatehouseTesting",
      "IdentityToolkit", "TestSupport", log,
    ]),
  tests(
    of: "GatehouseAgentServer",
    [
      "GatehouseAgentServer", "GatehouseAgentClient", "GatehouseAgent", "Gatehouse", "GatehouseREST",
      "GatehouseLocal", "GatehouseServer", "GatehouseBase", "GatehouseSystem", "GatehouseQueues", "IdentityToolkit",
      "GatehouseTesting", "TestSupport", log,
    ]),
  tests(of: "GatehouseDemo", ["GatehouseDemo", "GatehouseLocal", "GatehouseBase", "GatehouseTesting"]),
  tests(of: "GatehouseDeadlocks", ["GatehouseDeadlocks", "GatehouseWaits", "GatehouseQueues"]),
  tests(of: "GatehouseTesting", ["GatehouseTesting", "GatehouseQueues", "GatehouseBase"]),
  // The package as its users meet it: the command, the scripts, the documents, the layers, forbidden programs.
  tests(
    of: "Package",
    [
      "gate", "gatehouse-demo", "FirebasePrograms", "Gatehouse", "GatehouseBase", "GatehouseCrypto", "GatehouseLocal",
      "GatehouseConfiguration", "GatehouseJOSE", "GatehouseTesting", "IdentityToolkit", "TestSupport",
    ]),
]

// MARK: What is left out

extension Target.Dependency {
  /// The target that it names, or the product.
  var name: String {
    switch self {
    case .targetItem(let name, _), .byNameItem(let name, _), .productItem(let name, _, _, _): name
    @unknown default: fatalError("a new kind of dependency")
    }
  }

  /// The package that it comes from; `nil` for a target of this package.
  var package: String? { if case .productItem(_, let package, _, _) = self { package } else { nil } }
}

extension Package.Dependency {
  /// The last component of the URL, by which targets name it.
  var packageName: String {
    guard case .sourceControl(_, let location, _) = kind else { fatalError("a package without a URL") }
    return location.split(separator: "/").last.map { $0.hasSuffix(".git") ? String($0.dropLast(4)) : String($0) } ?? ""
  }
}

/// The names of the targets that need a package, directly or through other targets. Other packages are not looked into:
/// `ProductsTests` does.
@MainActor func targetsReaching(_ package: String) -> Set<String> {
  var reaching: Set<String> = []
  var isGrowing = true
  while isGrowing {
    let next = targets.filter { target in
      target.dependencies.contains { $0.package == package || reaching.contains($0.name) && $0.package == nil }
    }
    isGrowing = next.count > reaching.count
    reaching = Set(next.map(\.name))
  }
  return reaching
}

/// A product's targets.
func targetNames(of product: Product) -> [String] {
  switch product {
  case let library as Product.Library: library.targets
  case let executable as Product.Executable: executable.targets
  default: fatalError("a new kind of product: \(product.name)")
  }
}

/// The names of the targets that the tests of some modules need, directly or through other targets.
@MainActor func targetsReached(byTestsOf modules: [String]) -> Set<String> {
  var reached = Set(modules.map { $0 + "Tests" })
  var isGrowing = true
  while isGrowing {
    let next = targets.filter { reached.contains($0.name) }.flatMap(\.dependencies).filter { $0.package == nil }
    isGrowing = !reached.isSuperset(of: next.map(\.name))
    reached.formUnion(next.map(\.name))
  }
  return reached
}

var leftOut = isWithoutNIO ? targetsReaching("swift-nio") : []
if let tested { leftOut.formUnion(Set(targets.map(\.name)).subtracting(targetsReached(byTestsOf: tested))) }
let built = targets.filter { !leftOut.contains($0.name) }
let needed = Set(built.flatMap(\.dependencies).compactMap(\.package))

let package = Package(
  name: "gatehouse",
  products: products.filter { leftOut.isDisjoint(with: targetNames(of: $0)) },
  dependencies: packages.filter { needed.contains($0.packageName) },
  targets: built,
  swiftLanguageModes: [.v6]
)
