import Foundation
import Testing

struct ForbiddenProgramTests {
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

/// The compiler, with the modules that these tests were built with.
enum Compiler {
  struct Verdict: Sendable {
    let outcome: ChildProcess.Outcome
    let errors: [Diagnostic]
  }

  struct Diagnostic: Sendable {
    let line: Int
    let message: String
  }

  /// Checks a program of one file with the engine's settings.
  ///
  /// - Parameter modules: a folder with further modules.
  static func check(_ text: String, isInPackage: Bool, modulesIn modules: String? = nil) async throws -> Verdict {
    let flags = engineFlags + (isInPackage ? ["-package-name", packageName] : []) + (modules.map { ["-I", $0] } ?? [])
    return try await check(text, file: "Program.swift", flags: flags)
  }

  /// Checks a program of a package that depends on this one, with its target's settings. A warning is an error.
  static func check(_ program: DependentPackage.Program) async throws -> Verdict {
    let isLibrary = program.file != "main.swift"
    let flags = program.settings.flatMap(\.flags) + (isLibrary ? ["-parse-as-library"] : []) + ["-warnings-as-errors"]
    return try await check(program.text, file: program.file, flags: ["-module-name", program.name] + flags)
  }

  /// Compiles a program of one file, up to where races are found; type-checking alone finds only some.
  private static func check(_ text: String, file name: String, flags: [String]) async throws -> Verdict {
    try await TemporaryFolder.with { folder in
      let file = "\(folder)/\(name)"
      try text.write(toFile: file, atomically: false, encoding: .utf8)
      let outcome = try await ChildProcess("swiftc", ["-emit-sil", file, "-o", "/dev/null"] + flags + modules).run()
      let line = /^[^\n:]*:(\d+):\d+: error: (.*)$/.anchorsMatchLineEndings()
      let errors = outcome.errors.matches(of: line).map { Diagnostic(line: Int($0.1) ?? 0, message: String($0.2)) }
      return Verdict(outcome: outcome, errors: errors)
    }
  }

  /// What SwiftPM calls the package: its folder's name, in lower case, as an identifier.
  static let packageName = String(
    (Repository.root.split(separator: "/").last ?? "").lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

  static let modules =
    ["-I", "\(Repository.products)/Modules", "-module-cache-path", "\(Repository.products)/ModuleCache"]
    + ((try? Repository.moduleMaps()) ?? []).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }

  private static let engineFlags =
    ["-parse-as-library", "-swift-version", "6", "-strict-memory-safety"]
    + [
      "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
      "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }
}
