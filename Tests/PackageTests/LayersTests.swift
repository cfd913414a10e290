import Testing

/// Which module may import which: one that stands in a lower row than its own.
enum Layers {
  /// From the ground up.
  static let rows: [Set<String>] = [
    ["GatehouseBase", "CGatehouseOpenSSL", "CGatehouseWaits"],
    ["GatehouseQueues", "GatehouseCrypto"],
    ["IdentityToolkit", "GatehouseJOSE", "GatehouseHTTP"],
    ["GatehouseCore", "GatehouseREST", "GatehouseLocal"],
    ["Gatehouse", "GatehouseAdmin"],
    ["GatehouseTesting", "GatehouseAgent", "GatehouseServer"],
    ["gate"],
  ]

  /// What is not ours, and who may import it. The toolchain's modules are everybody's.
  static let others: [String: Set<String>] = [
    "CGatehouseBytes": ["GatehouseBase"],
    "CGatehouseOpenSSL": ["GatehouseCrypto"],
    "CGatehouseWaits": ["GatehouseQueues", "gate"],
    "Testing": ["GatehouseTesting"],
    "GRDB": ["GatehouseLocal"],
    "Hummingbird": ["GatehouseServer"],
    "ArgumentParser": ["gate"],
    "FoundationNetworking": ["GatehouseHTTP"],
    "Logging": [
      "GatehouseQueues", "GatehouseCore", "Gatehouse", "GatehouseAdmin", "GatehouseServer", "GatehouseAgent", "gate",
    ],
  ]
  static let toolchain: Set<String> = [
    "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Runtime",
  ]

  static func row(of module: String) -> Int? { rows.firstIndex { $0.contains(module) } }

  /// What a file imports and may not.
  static func violations(of file: SourceFile) -> [String] {
    guard let own = row(of: file.module) else { return ["\(file.module) stands in no row"] }
    return file.imports.sorted().compactMap { imported in
      if let importers = others[imported] {
        return importers.contains(file.module) ? nil : "\(file.path): \(imported) is not for \(file.module)"
      }
      if let row = row(of: imported) {
        return row < own ? nil : "\(file.path): \(imported) stands no lower than \(file.module)"
      }
      return toolchain.contains(imported) ? nil : "\(file.path): nobody may import \(imported) yet"
    }
  }
}

@Suite struct LayersTests {
  @Test func `a module imports only modules of lower rows`() throws {
    let violations = try Repository.sources(in: "Sources").flatMap(Layers.violations)
    #expect(violations == [])
  }

  @Test func `the engine cannot name the facade`() throws {
    let engine = try Repository.sources(in: "Sources/GatehouseCore")
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
    ("Gatehouse", "import GRDB"),
    ("GatehouseCore", "import NIOCore"),
    ("GatehouseCore", "import FoundationNetworking"),
    ("GatehouseJOSE", "import GatehouseHTTP"),
    ("GatehouseNew", "import GatehouseBase"),
  ])
  func `an import that is not allowed is found`(module: String, line: String) {
    #expect(Layers.violations(of: SourceFile(path: "Sources/\(module)/New.swift", text: line)).count == 1)
  }

  @Test(arguments: [
    ("GatehouseCrypto", "import CGatehouseOpenSSL"),
    ("GatehouseLocal", "public import GRDB"),
    ("gate", "import Gatehouse"),
    ("GatehouseHTTP", "import FoundationNetworking"),
    ("GatehouseCore", "import Dispatch"),
  ])
  func `an import that is allowed is not`(module: String, line: String) {
    #expect(Layers.violations(of: SourceFile(path: "Sources/\(module)/New.swift", text: line)) == [])
  }
}
