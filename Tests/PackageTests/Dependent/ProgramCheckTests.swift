import Testing

/// The programs of a dependent, checked by the compiler with the modules of these tests. Release checks also run them.
struct ProgramCheckTests {
  /// Those with other products need modules that no build of this package has.
  private static let programs = DependentPackage.programs.filter { $0.otherProducts.isEmpty }

  @Test(arguments: programs)
  func `a program of a dependent compiles, without a warning`(program: DependentPackage.Program) async throws {
    let verdict = try await Compiler.check(program)
    #expect(verdict.outcome.succeeded, "\(verdict.outcome)")
  }

  /// A program that is refused; by some settings only, where others are given.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    var file = "Program.swift"
    let refused: [DependentPackage.Setting]
    let accepted: [DependentPackage.Setting]?
    let reason: String

    var testDescription: String { reason }
  }

  static let mistakes = [
    Mistake(
      text: "import Gatehouse\nfunc user(of auth: Auth) -> User { auth.currentUser }",
      refused: [.swift6], accepted: nil, reason: "must be unwrapped"),
    Mistake(
      text: "import Gatehouse\nlet auth: Auth? = nil\n_ = auth?.engine", file: "main.swift",
      refused: [.swift6], accepted: nil, reason: "inaccessible"),
    Mistake(
      text: "import Gatehouse\nfunc ask(_ user: User) async throws { try await user.getIDTokenResult() }",
      refused: [.swift6], accepted: nil, reason: "unused"),
    Mistake(
      text: "import Gatehouse\nvar last: User?", refused: [.swift6], accepted: [.swift5],
      reason: "not concurrency-safe"),
    Mistake(
      text: "import Gatehouse\nvar last: User?", refused: [.swift6], accepted: [.swift6, .mainActorByDefault],
      reason: "not concurrency-safe"),
  ]

  @Test(arguments: mistakes)
  func `a mistake of a dependent is found, by its own settings`(mistake: Mistake) async throws {
    func check(_ settings: [DependentPackage.Setting]) async throws -> Compiler.Verdict {
      try await Compiler.check(.init(name: "Mistaken", text: mistake.text, file: mistake.file, settings: settings))
    }
    let refused = try await check(mistake.refused)
    #expect(!refused.outcome.succeeded && refused.outcome.errors.contains(mistake.reason), "\(refused.outcome)")
    guard let settings = mistake.accepted else { return }
    let accepted = try await check(settings)
    #expect(accepted.outcome.succeeded, "\(accepted.outcome)")
  }
}

extension DependentPackage.Program: CustomTestStringConvertible {
  var testDescription: String { name }
}
