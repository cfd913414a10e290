import ArgumentParser

/// `gate demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "A tour: every promise at work, on an embedded provider in a temporary folder.",
    discussion: """
      Each promise has a line, and below it what was counted or measured just now. Time is a clock that the tour sets. \
      A promise that fails shows what was expected and what was seen, and the exit status is 1.
      """)

  func run() async throws {
    let stage = try Stage()
    let failed = try await Tour(stage: stage).run()
    if failed > 0 { throw ExitCode(1) }
  }
}
