import ArgumentParser
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal

/// `gate jwks`
struct JWKSCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jwks", abstract: "Print the provider's public keys, as a JWK set.",
    discussion: """
      Any program can verify the provider's tokens with these keys, and none can make a token with them. With files, \
      the set has the public halves of their keys instead. Two keys may not share a name; a key without a name gets \
      its thumbprint.
      """)

  @Argument(help: "Files with keys: PEM, JWKs, JWK sets, certificates.", completion: .file(), transform: fileName)
  var files: [String] = []

  @Flag(help: "The answer is JSON with this option and without it.") var json = false
  @OptionGroup var home: HomeOptions

  func run() async throws {
    guard files.isEmpty else {
      let keys = try files.flatMap { try KeyFile(path: $0).keys(nil) }
      let set = try JWKSet(keys.map { try $0.named().publicHalf() })
      return try StandardOutput.write(line: "\(set.json)")
    }
    let home = try home.home()
    try home.requireProvider()
    let keys = try await home.withProvider { (provider) throws(AuthError) in
      try await typed { try await provider.keySet() }
    }
    try StandardOutput.write(line: "\(keys.json)")
  }
}
