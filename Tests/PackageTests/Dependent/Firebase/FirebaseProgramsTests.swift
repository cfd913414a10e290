import Foundation
import Testing

/// Programs in the shapes of Firebase's documentation, which `Tests/FirebasePrograms` has.
struct FirebaseProgramsTests {
  private static let folder = "Tests/FirebasePrograms"

  @Test func `every program in the shape of one for Firebase does on the embedded provider what it says`() async throws
  {
    try await TemporaryFolder.with { home in
      var program = ChildProcess("\(Repository.products)/FirebasePrograms", [home + "/state"])
      program.environment = ["GATEHOUSE_STRICT": "1"]
      let outcome = try await program.run()
      let lines = outcome.output.split(separator: "\n")
      #expect(outcome.succeeded && lines.count >= 30 && lines.allSatisfy { $0.hasPrefix("ok: ") }, "\(outcome)")
    }
  }

  @Test func `the programs import nothing of Gatehouse but the module for Firebase`() throws {
    let programs = try Repository.sources(in: Self.folder).filter { !$0.path.contains("/Harness/") }
    #expect(programs.count >= 12)
    for program in programs {
      #expect(program.imports.subtracting(["Foundation"]) == ["GatehouseFirebase"], "\(program.path)")
    }
  }

  @Test func `the programs compile in Swift 6 mode too`() async throws {
    let files = try Repository.sources(in: Self.folder).map { "\(Repository.root)/\($0.path)" }
    let outcome = try await Compiler.check(
      files: files,
      flags: [
        "-module-name", "FirebasePrograms", "-package-name", Compiler.packageName, "-parse-as-library",
        "-swift-version", "6",
      ])
    #expect(outcome.succeeded, "\(outcome)")
  }

  @Test(arguments: ["5", "6"])
  func `a completion is written as for Firebase, in every kind of function`(version: String) async throws {
    let outcome = try await check(FirebaseClosures.text, version)
    #expect(outcome.succeeded, "\(outcome)")
  }

  @Test(arguments: ["5", "6"])
  func `a closure that captures an object of no actor compiles, and Swift 6 warns`(version: String) async throws {
    let outcome = try await check(FirebaseClosures.capture, version)
    #expect(outcome.succeeded, "\(outcome)")
    #expect(outcome.errors.contains("non-Sendable type 'SessionStore?'") == (version == "6"), "\(outcome)")
  }

  @Test(arguments: ["5", "6"])
  func `a program with accounts at Google compiles, whatever else it imports of Gatehouse`(version: String) async throws
  {
    let imports = "import Gatehouse\nimport GatehouseFirebase\nimport GatehouseFirebaseREST"
    for text in [
      FirebaseClosures.server, FirebaseClosures.server.replacing("import GatehouseFirebaseREST", with: imports),
    ] {
      let outcome = try await check(text, version)
      #expect(outcome.succeeded && !outcome.errors.contains("warning:"), "\(outcome)")
    }
  }

  @Test(arguments: ["5", "6"])
  func `the programs of the page compile`(version: String) async throws {
    let page = try Repository.text(of: "Docs/from-firebase.md")
    let programs = page.matches(of: /(?s)```swift\n(.*?)```/).map { String($0.1) }
    #expect(programs.count >= 4)
    for program in programs {
      let imported = program.contains("import Gatehouse") ? program : "import GatehouseFirebase\n" + program
      let outcome = try await check(imported, version)
      #expect(outcome.succeeded, "\(outcome)")
    }
  }

  @Test(arguments: ["5", "6"])
  func `at the top level of main.swift, a call that is awaited is not taken for one without a completion`(
    version: String
  ) async throws {
    let outcome = try await check(FirebaseClosures.topLevel, version, file: "main.swift")
    #expect(outcome.succeeded && !outcome.errors.contains("warning:"), "\(outcome)")
    let mistaken = FirebaseClosures.topLevel.replacing("(timeout: nil)", with: "()")
    let refused = try await check(mistaken, version, file: "main.swift")
    #expect(!refused.succeeded && refused.errors.contains("pass timeout: nil to the async call"), "\(refused)")
  }

  @Test func `a completion of another type is refused`() async throws {
    let outcome = try await check(FirebaseClosures.mistake, "6")
    #expect(!outcome.succeeded && outcome.errors.contains("error:"), "\(outcome)")
  }

  private func check(
    _ text: String, _ version: String, file name: String = "Closures.swift"
  ) async throws -> ChildProcess.Outcome {
    try await TemporaryFolder.with { folder in
      let file = "\(folder)/\(name)"
      try text.write(toFile: file, atomically: false, encoding: .utf8)
      return try await Compiler.check(
        files: [file], flags: (name == "main.swift" ? [] : ["-parse-as-library"]) + ["-swift-version", version])
    }
  }
}

extension Compiler {
  /// Compiles files together, up to where races are found. Warnings are not errors.
  static func check(files: [String], flags: [String]) async throws -> ChildProcess.Outcome {
    try await ChildProcess("swiftc", ["-emit-sil", "-wmo", "-o", "/dev/null"] + files + flags + modules).run()
  }
}
