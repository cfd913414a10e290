import Foundation

/// A package that asks for this one by a version, as its users' packages do: it sees what they see, and no more.
///
/// All its programs are built once for all tests, because Gatehouse is built anew for it: about two minutes the first
/// time, seconds when nothing has changed. What was built stays in `.build-dependent`.
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
    var settings = ".swiftLanguageMode(.v6)"
    var products = DependentPackage.products
    /// Products of other packages, as a manifest names them.
    var otherProducts: [String] = []
    var kind = Kind.executable
  }

  static let programs: [Program] =
    DocumentPrograms.all + Stranger.programs + FirebaseProgram.programs
    + [
      Program(
        name: "Neighbors", text: Neighbors.text, file: "Program.swift",
        settings: #".swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")"#,
        products: ["Gatehouse", "GatehouseJOSE", "GatehouseTesting"], otherProducts: Neighbors.products),
      Program(name: "Swift5", text: PublicCalls.text, file: "Program.swift", settings: ".swiftLanguageMode(.v5)"),
      Program(
        name: "Swift6", text: PublicCalls.text, file: "Program.swift",
        settings: #".swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")"#),
      Program(
        name: "MainActorApp", text: CallerPrograms.mainActorApp, file: "Program.swift",
        settings: ".swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)"),
      Program(
        name: "Callers6", text: CallerPrograms.callers, file: "Program.swift",
        settings: #".swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault")"#),
      Program(
        name: "Callers5", text: CallerPrograms.callers, file: "Program.swift", settings: ".swiftLanguageMode(.v5)"),
    ]

  /// The package, built; shared by all tests.
  static let built = Task { try await Self.build() }

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
    let folder = "\(Repository.root)/.build-dependent"
    let version = try await PublishedVersion.make(in: "\(folder)/versions")
    try write(manifest(for: version), to: "\(folder)/Package.swift")
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

  private static func manifest(for version: PublishedVersion) -> String {
    let targets = programs.map { program in
      let products =
        program.products.map { #".product(name: "\#($0)", package: "gatehouse")"# } + program.otherProducts
      return """
            .\(program.kind.rawValue)(
              name: "\(program.name)", dependencies: [\(products.joined(separator: ", "))],
              path: "Sources/\(program.name)", swiftSettings: [\(program.settings)]),
        """
    }
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "dependent",
        dependencies: [
          .package(url: "\(URL(filePath: version.path).absoluteString)", from: "1.0.0"),
          \(Neighbors.packages.joined(separator: ",\n    ")),
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
