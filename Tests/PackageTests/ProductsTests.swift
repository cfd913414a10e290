import GatehouseJOSE
import Testing

/// What a package builds that asks for one product of this one.
struct ProductsTests {
  /// The targets that a product needs, and the other packages.
  struct Needs: Sendable {
    var targets: Set<String> = []
    var packages: Set<String> = []

    init(of product: String, in manifest: JSONValue) throws {
      let products = manifest["products"]?.array ?? []
      let found = try #require(products.first { $0["name"]?.string == product }, "\(product) is no product")
      try self.init(ofTargets: found["targets"]?.array?.compactMap(\.string) ?? [], in: manifest)
    }

    init(ofTargets names: [String], in manifest: JSONValue) throws {
      let targets = manifest["targets"]?.array ?? []
      var next = names
      while let name = next.popLast() {
        guard self.targets.insert(name).inserted else { continue }
        let target = try #require(targets.first { $0["name"]?.string == name }, "\(name) is no target")
        for dependency in target["dependencies"]?.array ?? [] {
          if let own = dependency["byName"]?.array?.first?.string { next.append(own) }
          if let package = dependency["product"]?.array?.dropFirst().first?.string { packages.insert(package) }
        }
      }
    }
  }

  private static let manifest = Task { try await manifest() }

  private static func manifest(_ environment: [String: String] = [:]) async throws -> JSONValue {
    try await TemporaryFolder.with { folder in
      var dump = ChildProcess("swift", ["package", "--scratch-path", folder, "dump-package"])
      dump.folder = Repository.root
      dump.environment = environment
      let outcome = try await dump.run()
      #expect(outcome.succeeded, "\(outcome)")
      return try JSONValue(parsing: outcome.output.utf8)
    }
  }

  @Test(arguments: ["GatehouseWaits", "GatehouseQueues", "GatehouseSchedules", "GatehouseDeadlocks"])
  func `a program that wants queues builds nothing of tokens and accounts`(product: String) async throws {
    let needs = try Needs(of: product, in: await Self.manifest.value)
    let allowed =
      Wings.order.filter { ["Base", "Queues"].contains($0.wing) }.flatMap(\.modules) + ["GatehouseDeadlocks"]
    #expect(needs.targets.contains(product) && needs.targets.isSubset(of: allowed), "\(needs)")
    #expect(needs.packages.isSubset(of: ["swift-log"]), "\(needs)")
  }

  @Test func `a program that wants tokens builds no queue check and no database`() async throws {
    let needs = try Needs(of: "GatehouseJOSE", in: await Self.manifest.value)
    #expect(needs.targets.isSuperset(of: ["CGatehouseOpenSSL", "GatehouseCrypto", "GatehouseJOSE"]), "\(needs)")
    #expect(needs.targets.isDisjoint(with: ["GatehouseLocal", "GatehouseDeadlocks", "CGatehouseQueuecheck"]))
  }

  @Test func `a program that sets its options in code builds no reader of settings`() async throws {
    let needs = try Needs(of: "GatehouseLocal", in: await Self.manifest.value)
    #expect(needs.packages.contains("GRDB.swift") && !needs.packages.contains("swift-configuration"), "\(needs)")
    let reader = try Needs(of: "GatehouseConfiguration", in: await Self.manifest.value)
    #expect(reader.packages.contains("swift-configuration"), "\(reader)")
  }

  @Test func `a server that verifies tokens builds no provider, and without Hummingbird no server`() async throws {
    let middleware = try Needs(of: "GatehouseHummingbird", in: await Self.manifest.value)
    #expect(middleware.packages.contains("hummingbird") && !middleware.packages.contains("GRDB.swift"), "\(middleware)")
    #expect(middleware.targets.isDisjoint(with: ["GatehouseLocal", "Gatehouse", "GatehouseServer"]), "\(middleware)")
    let core = try Needs(of: "GatehouseJOSE", in: await Self.manifest.value)
    #expect(core.packages.isSubset(of: ["swift-log"]), "\(core)")
  }

  @Test(arguments: [
    "GatehouseHTTP", "GatehouseJOSE", "Gatehouse", "GatehouseLocal", "GatehouseConfiguration", "GatehouseTesting",
  ])
  func `a program that brings its own transport, or none, links no network client`(product: String) async throws {
    let needs = try Needs(of: product, in: await Self.manifest.value)
    #expect(needs.targets.contains(product), "\(needs)")
    #expect(!needs.packages.contains("async-http-client"), "\(needs)")
  }

  @Test func `a program that lends tokens builds no provider and no network client`() async throws {
    let needs = try Needs(of: "GatehouseAgent", in: await Self.manifest.value)
    #expect(needs.targets.contains("GatehouseAgent") && needs.packages == ["swift-log"], "\(needs)")
  }

  @Test func `a program that asks for tokens builds no server, no cryptography and no network client`() async throws {
    let needs = try Needs(of: "GatehouseAgentClient", in: await Self.manifest.value)
    #expect(needs.targets.contains("GatehouseAgentClient") && needs.packages == ["swift-log"], "\(needs)")
    #expect(needs.targets.isDisjoint(with: ["GatehouseCrypto", "Gatehouse", "GatehouseAgent"]), "\(needs)")
  }

  /// SwiftNIO and what is built on it takes most of the time that building the command takes.
  @Test(arguments: ["GatehouseDemo", "gatehouse-demo"])
  func `the demo builds no network client and no server`(target: String) async throws {
    let needs = try Needs(ofTargets: [target], in: await Self.manifest.value)
    #expect(needs.packages == ["swift-log", "GRDB.swift"], "\(needs)")
    #expect(needs.targets.isSuperset(of: ["GatehouseDemo", "GatehouseLocal"]), "\(needs)")
    #expect(needs.targets.isDisjoint(with: ["gate", "CGatehouseQRCode"]), "\(needs)")
  }

  /// Hummingbird, AsyncHTTPClient and others bring SwiftNIO themselves. The manifest sees only targets that name it: a
  /// package that is missing here must not bring it, and is added; or its targets name SwiftNIO.
  @Test func `what needs no SwiftNIO asks for no package that brings it`() async throws {
    let manifest = try await Self.manifest(["GATEHOUSE_WITHOUT_NIO": "1"])
    let packages = (manifest["dependencies"]?.array ?? []).compactMap {
      $0["sourceControl"]?.array?.first?["identity"]?.string
    }
    #expect(Set(packages) == ["swift-log", "swift-argument-parser", "grdb.swift", "swift-configuration"])
    let command = manifest["targets"]?.array?.first { $0["name"]?.string == "gate" }
    #expect(command == nil, "it needs SwiftNIO")
  }

  @Test func `the command links nothing that is for tests`() async throws {
    let needs = try Needs(of: "gate", in: await Self.manifest.value)
    #expect(needs.targets.contains("GatehouseDemo"), "\(needs)")
    #expect(needs.targets.isDisjoint(with: Wings.order.first { $0.wing == "Testing" }?.modules ?? ["gate"]), "\(needs)")
  }

  /// Packages that use the library products need not have the library of QR codes installed.
  @Test func `only the command needs the library of QR codes`() async throws {
    let manifest = try await Self.manifest.value
    let products = (manifest["products"]?.array ?? []).compactMap { $0["name"]?.string }
    let needing = try products.filter { try Needs(of: $0, in: manifest).targets.contains("CGatehouseQRCode") }
    #expect(products.count > 10 && needing == ["gate"])
    // With `pkgConfig` every dependent without the library would be warned.
    let target = try #require(manifest["targets"]?.array?.first { $0["name"]?.string == "CGatehouseQRCode" })
    #expect(target["type"] == "system" && target["pkgConfig"]?.string == nil)
  }

  /// SwiftPM refuses a product with unsafe flags to a package that asks for a version.
  @Test func `no product that other packages link has unsafe flags`() async throws {
    let manifest = try await Self.manifest.value
    let unsafe = (manifest["targets"]?.array ?? []).filter { target in
      target["settings"]?.array?.contains { $0["kind"]?["unsafeFlags"] != nil } == true
    }
    .compactMap { $0["name"]?.string }
    let products = (manifest["products"]?.array ?? []).compactMap { $0["name"]?.string }
    let refused = try products.filter { try !Needs(of: $0, in: manifest).targets.isDisjoint(with: unsafe) }
    #expect(refused == ["gatehouse-queuecheck"], "which `gate queuecheck` preloads, and no package links")
  }
}
