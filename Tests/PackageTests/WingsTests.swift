import Testing

/// Which module may import which: a wing only wings before it, a module only modules of its wing to its left.
enum Wings {
  static let order: [(wing: String, modules: [String])] = [
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
        "CGatehouseOpenSSL", "GatehouseCrypto", "GatehouseHTTP", "GatehouseAsyncHTTP",
        "GatehouseJOSE",
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
    ("gate", ["gate"]),
  ]

  /// The packages' modules, and which of our modules may import them. All may import the toolchain's modules.
  static let others: [String: Set<String>] = [
    "CGatehouseBytes": ["GatehouseBase"],
    "CGatehouseOpenSSL": ["GatehouseCrypto"],
    "CGatehousePasswords": ["GatehouseLocal"],
    "CGatehouseQRCode": ["gate"],
    "CGatehouseSchedules": ["GatehouseSchedules"],
    "CGatehouseWaits": ["GatehouseQueues", "gate"],
    "Testing": ["GatehouseDeadlocks"],
    "GRDB": ["GatehouseLocal"],
    "Configuration": ["GatehouseConfiguration"],
    "Hummingbird": ["GatehouseHummingbird", "GatehouseServer"],
    // What Hummingbird's own interface names.
    "HummingbirdCore": ["GatehouseServer"], "HTTPTypes": ["GatehouseHummingbird", "GatehouseServer"],
    "NIOCore": ["GatehouseHummingbird", "GatehouseServer", "GatehouseAsyncHTTP"],
    "NIOSSL": ["GatehouseServer"], "CoreMetrics": ["GatehouseServer", "GatehouseAgentServer"],
    "Tracing": ["GatehouseServer"],
    "ServiceLifecycle": ["GatehouseServer"],
    "AsyncHTTPClient": ["GatehouseAsyncHTTP"],
    // What AsyncHTTPClient's own interface and its errors name.
    "NIOHTTP1": ["GatehouseAsyncHTTP", "GatehouseServer"], "NIOPosix": ["GatehouseAsyncHTTP", "GatehouseServer"],
    "ArgumentParser": ["gate"],
    // Foundation's client can end the process (decision 85).
    "FoundationNetworking": [],
    // By name only for its SPI: the NFC of addresses.
    "Swift": ["GatehouseBase"],
    "Logging": [
      "GatehouseQueues", "GatehouseCore", "Gatehouse", "GatehouseAdmin", "GatehouseServer", "GatehouseAgent",
      "GatehouseAgentServer",
      "GatehouseLocal", "GatehouseFirebase", "GatehouseFirebaseREST", "GatehouseHummingbird", "GatehouseDemo",
      "gate",
    ],
  ]
  static let toolchain: Set<String> = [
    "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Runtime", "SwiftOverlayShims",
  ]

  /// The position of a module in the order of all modules.
  static func position(of module: String) -> Int? { order.flatMap(\.modules).firstIndex(of: module) }

  /// What a file imports and may not.
  static func violations(of file: SourceFile) -> [String] {
    guard let own = position(of: file.module) else { return ["\(file.path): \(file.module) is in no wing"] }
    return file.imports.sorted().compactMap { imported in
      if let importers = others[imported] {
        return importers.contains(file.module) ? nil : "\(file.path): \(imported) is not for \(file.module)"
      }
      if let position = position(of: imported) {
        return position < own ? nil : "\(file.path): \(imported) does not come before \(file.module)"
      }
      return toolchain.contains(imported) ? nil : "\(file.path): no module may import \(imported) yet"
    }
  }
}

struct WingsTests {
  @Test func `a module imports only modules that come before it`() throws {
    let violations = try Repository.sources(in: "Sources").flatMap(Wings.violations)
    #expect(violations == [])
  }

  @Test func `every folder of Sources is a wing with its modules`() throws {
    let wings = try Repository.folders(in: "Sources")
    #expect(Set(wings) == Set(Wings.order.map(\.wing)))
    for (wing, modules) in Wings.order where wing != "gate" {
      #expect(Set(try Repository.folders(in: "Sources/\(wing)")) == Set(modules), "\(wing)")
    }
  }

  /// The queues have errors of their own: users of the queues alone never meet this type.
  @Test func `the queues do not name AuthError`() throws {
    let sources = try Repository.sources(in: "Sources/Queues")
    #expect(sources.count > 40)
    #expect(try sources.filter { try $0.names("AuthError") }.map(\.path) == [])
    let stranger = SourceFile(path: "Sources/Queues/GatehouseQueues/New.swift", text: "func f() throws(AuthError) {}")
    #expect(try stranger.names("AuthError"))
  }

  @Test func `the engine cannot name the facade`() throws {
    let engine = try Repository.sources(in: "Sources/Auth/GatehouseCore")
    #expect(!engine.isEmpty)
    for file in engine {
      #expect(file.imports.isDisjoint(with: ["Gatehouse", "GatehouseTesting", "gate"]), "\(file.path)")
    }
  }

  @Test(arguments: [
    ("GatehouseCore", "import Gatehouse"),
    ("GatehouseCore", "package import GatehouseLocal"),
    ("GatehouseBase", "@_exported public import GatehouseQueues"),
    ("Gatehouse", "import class GatehouseTesting.ManualClocks"),
    ("GatehouseJOSE", "import CGatehouseOpenSSL"),
    ("GatehouseLocal", "import CGatehouseQRCode"),
    ("Gatehouse", "import GRDB"),
    ("GatehouseTesting", "import Testing"),
    ("GatehouseDemo", "import GatehouseTesting"),
    ("GatehouseDemo", "import NIOCore"),
    ("GatehouseWaits", "import CGatehouseWaits"),
    ("GatehouseCore", "import NIOCore"),
    ("GatehouseCore", "import FoundationNetworking"),
    ("GatehouseHTTP", "import GatehouseJOSE"),
    ("GatehouseHTTP", "import FoundationNetworking"),
    ("GatehouseNew", "import GatehouseBase"),
  ])
  func `an import that is not allowed is found`(module: String, line: String) {
    #expect(Wings.violations(of: SourceFile(path: "Sources/Wing/\(module)/New.swift", text: line)).count == 1)
  }

  @Test(arguments: [
    ("GatehouseCrypto", "import CGatehouseOpenSSL"),
    ("GatehouseLocal", "public import GRDB"),
    ("gate", "import Gatehouse"),
    ("GatehouseCore", "import Dispatch"),
  ])
  func `an import that is allowed is not`(module: String, line: String) {
    #expect(Wings.violations(of: SourceFile(path: "Sources/Wing/\(module)/New.swift", text: line)) == [])
  }
}
