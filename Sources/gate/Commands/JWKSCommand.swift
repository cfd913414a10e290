import ArgumentParser
import GatehouseJOSE
import GatehouseLocal

/// `gate jwks`
struct JWKSCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jwks", abstract: "Print the provider's public keys, as a JWK set.",
    discussion: "With these keys anybody can verify the provider's tokens, and nobody can make one.")

  @Flag(help: "The answer is JSON with this option and without it.") var json = false
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    try home.requireProvider()
    try StandardOutput.write(line: "\(try await home.backend().keySet().json)")
  }
}
