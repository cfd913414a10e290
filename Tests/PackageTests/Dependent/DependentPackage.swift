import Foundation

/// A package that asks for this one by a version, as its users' packages do: it sees what they see, and no more.
///
/// Gatehouse is built anew for it, which takes minutes: only release checks do. Other test runs compile its programs
/// with the modules that are built already. What was built stays in `.build-dependent`.
struct DependentPackage: Sendable {
  /// What it imports of ours.
  static let products = [
    "Gatehouse", "GatehouseHTTP", "GatehouseJOSE", "GatehouseLocal", "GatehouseTesting", "GatehouseAsyncHTTP",
  ]

  /// One target.
  struct Program: Sendable {
    enum Kind: String { case executable = "executableTarget", test = "testTarget" }

    let name: String
    let text: String
    /// The name of its file: top-level code wants `main.swift`.
    var file = "main.swift"
    var settings: [Setting] = [.swift6]
    var products = DependentPackage.products
    /// Products of other packages, as a manifest names them.
    var otherProducts: [String] = []
    var kind = Kind.executable
  }

  /// A setting of a target, as a manifest and as the compiler write it.
  enum Setting: Sendable {
    case swift5, swift6, mainActorByDefault, optimized
    case upcoming(String)

    var manifest: String {
      switch self {
      case .swift5: ".swiftLanguageMode(.v5)"
      case .swift6: ".swiftLanguageMode(.v6)"
      case .mainActorByDefault: ".defaultIsolation(MainActor.self)"
      case .optimized: #".unsafeFlags(["-O"])"#
      case .upcoming(let feature): #".enableUpcomingFeature("\#(feature)")"#
      }
    }

    var flags: [String] {
      switch self {
      case .swift5: ["-swift-version", "5"]
      case .swift6: ["-swift-version", "6"]
      case .mainActorByDefault: ["-default-isolation", "MainActor"]
      case .optimized: ["-O"]
      case .upcoming(let feature): ["-enable-upcoming-feature", feature]
      }
    }
  }

  /// Its programs.
  static let programs: [Program] =
    DocumentPrograms.all + Stranger.programs + FirebaseProgram.programs
    + CatchPrograms.programs
    + [
      Program(
        name: "Swift6", text: PublicCalls.text, file: "Program.swift",
        settings: [.swift6, .upcoming("MemberImportVisibility")], products: ["Gatehouse", "GatehouseTesting"]),
      Program(
        name: "Neighbors", text: Neighbors.text, file: "Program.swift",
        settings: [.swift6, .upcoming("MemberImportVisibility")],
        products: ["Gatehouse", "GatehouseJOSE", "GatehouseTesting"], otherProducts: Neighbors.products),
      Program(name: "Swift5", text: PublicCalls.text, file: "Program.swift", settings: [.swift5]),
      Program(
        name: "MainActorApp", text: CallerPrograms.mainActorApp, file: "Program.swift",
        settings: [.swift6, .mainActorByDefault]),
      Program(
        name: "Callers6", text: CallerPrograms.callers, file: "Program.swift",
        settings: [.swift6, .upcoming("NonisolatedNonsendingByDefault")]),
      Program(name: "Callers5", text: CallerPrograms.callers, file: "Program.swift", settings: [.swift5]),
    ]

  /// The package, built; shared by all release checks.
  static let built = Task { try await Self.build() }

  private static let folder = "\(Repository.root)/.build-dependent"

  let buildLog: ChildProcess.Outcome
  private let products: String

  /// Runs one of its programs in a folder.
  func run(
    _ name: String, _ arguments: [String] = [], in folder: String, input: String = "",
    environment: [String: String] = [:], endsAfterFirstOutput: Bool = false
  ) async throws -> ChildProcess.Outcome {
    var program = ChildProcess(try path(of: name), arguments)
    program.folder = folder
    program.input = input
    program.environment = environment
    program.endsAfterFirstOutput = endsAfterFirstOutput
    return try await program.run()
  }

  /// Runs the tests of one of its targets, as `swift test --filter` does.
  func test(_ name: String) async throws -> ChildProcess.Outcome {
    let bundle = try path(of: "dependentPackageTests.xctest")
    return try await ChildProcess(bundle, ["--testing-library", "swift-testing", "--filter", "^\(name)\\."]).run()
  }

  /// Where one of its programs is.
  func path(of name: String) throws -> String {
    guard buildLog.succeeded else {
      throw Failure(description: "the dependent package does not build; another test shows why")
    }
    return "\(products)/\(name)"
  }

  private static func build() async throws -> Self {
    let version = try await PublishedVersion.make(in: "\(folder)/versions")
    let folder = "\(folder)/all"
    try write(manifest(asking: version), to: "\(folder)/Package.swift")
    for program in programs { try write(program.text, to: "\(folder)/Sources/\(program.name)/\(program.file)") }
    var build = ChildProcess(
      "swift",
      [
        "build", "--build-tests", "--scratch-path", "\(folder)/build", "--security-path", "\(folder)/security",
        "--disable-dependency-cache",
      ])
    build.folder = folder
    return Self(buildLog: try await build.run(), products: "\(folder)/build/debug")
  }

  private static func manifest(asking version: PublishedVersion) -> String {
    let targets = programs.map { program in
      let products =
        program.products.map { #".product(name: "\#($0)", package: "gatehouse")"# } + program.otherProducts
      let settings = program.settings.map(\.manifest).joined(separator: ", ")
      return """
            .\(program.kind.rawValue)(
              name: "\(program.name)", dependencies: [\(products.joined(separator: ", "))],
              path: "Sources/\(program.name)", swiftSettings: [\(settings)]),
        """
    }
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "dependent",
        dependencies: [
          .package(url: "\(URL(filePath: version.path).absoluteString)", from: "1.0.0"),
          \(Neighbors.packages.joined(separator: ",\n    "))
        ],
        targets: [
      \(targets.joined(separator: "\n"))
        ])
      """
  }

  /// Writes a file, unless that is what it says: what is not touched is not built again.
  private static func write(_ text: String, to path: String) throws {
    guard (try? String(contentsOf: URL(filePath: path), encoding: .utf8)) != text else { return }
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}
