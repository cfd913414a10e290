import Foundation
import Testing

@Suite struct ForbiddenProgramTests {
  @Test(arguments: ForbiddenProgram.all)
  func `the compiler refuses the line, for the right reason`(program: ForbiddenProgram) async throws {
    let line = try #require(program.forbiddenLine)
    let verdict = try await Compiler.check(program.text, isInPackage: program.isInPackage)
    #expect(!verdict.outcome.succeeded)
    #expect(!verdict.errors.isEmpty)
    for error in verdict.errors { #expect(error.line == line && error.message.contains(program.reason), "\(error)") }
  }

  @Test(arguments: ForbiddenProgram.all)
  func `the compiler accepts the program without the line`(program: ForbiddenProgram) async throws {
    let verdict = try await Compiler.check(program.twin, isInPackage: program.isInPackage)
    #expect(verdict.outcome.succeeded, "\(verdict.outcome)")
  }
}

/// The compiler, with the settings and the modules of the engine.
enum Compiler {
  struct Verdict: Sendable {
    let outcome: ChildProcess.Outcome
    let errors: [Diagnostic]
  }

  struct Diagnostic: Sendable {
    let line: Int
    let message: String
  }

  /// Compiles a program of one file, up to where races are found; type-checking alone finds only some.
  ///
  /// - Parameter modules: a folder with further modules.
  static func check(_ text: String, isInPackage: Bool, modulesIn modules: String? = nil) async throws -> Verdict {
    try await TemporaryFolder.with { folder in
      let file = "\(folder)/Program.swift"
      try text.write(toFile: file, atomically: false, encoding: .utf8)
      let arguments =
        ["-emit-sil", file, "-o", "/dev/null"] + settings + (isInPackage ? ["-package-name", packageName] : [])
        + (modules.map { ["-I", $0] } ?? [])
      let outcome = try await ChildProcess("swiftc", arguments).run()
      let line = /^[^\n:]*:(\d+):\d+: error: (.*)$/.anchorsMatchLineEndings()
      let errors = outcome.errors.matches(of: line).map { Diagnostic(line: Int($0.1) ?? 0, message: String($0.2)) }
      return Verdict(outcome: outcome, errors: errors)
    }
  }

  /// What SwiftPM calls the package: its folder's name, in lower case, as an identifier.
  static let packageName = String(
    (Repository.root.split(separator: "/").last ?? "").lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

  private static let settings =
    [
      "-parse-as-library", "-swift-version", "6", "-strict-memory-safety", "-I", "\(Repository.products)/Modules",
      "-module-cache-path", "\(Repository.products)/ModuleCache",
    ]
    + ((try? Repository.moduleMaps()) ?? []).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    + [
      "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
      "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }
}
