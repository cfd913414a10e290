import ArgumentParser
import GatehouseDemo
import GatehouseSystem

/// `gate demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "A tour: every promise at work, on an embedded provider in a temporary folder.",
    discussion: """
      Each promise has a line, and below it what was counted or measured just now. Time is a clock that the tour sets. \
      A promise that fails shows what was expected and what was seen, and the exit status is 1.
      """)

  func run() async throws {
    let stage = try Stage(in: GivenText.variable("TMPDIR"))
    let tour = Tour(on: stage, columns: InheritedDescriptor.output.helpColumns) { try StandardOutput.write(line: $0) }
    if try await tour.run() > 0 { throw ExitCode(1) }
  }
}
