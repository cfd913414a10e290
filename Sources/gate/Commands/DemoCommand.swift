import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo", abstract: "Show every promise at work.")
  func run() async throws {}
}
