import ArgumentParser

/// `gate key`
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make, show and convert keys for tokens: JWK and PEM.",
    discussion: """
      Files with keys are PEM (PKCS#8, PKCS#1, SEC 1, SPKI), a JWK, a JWK set, or certificates, of which only the public \
      keys count and nobody is asked to vouch for them; /dev/stdin is a file as well. A private key is not shown on a \
      terminal without --force, and files with one are their owner's only.
      """,
    subcommands: [
      KeyGenerateCommand.self, KeyShowCommand.self, KeyConvertCommand.self, KeyThumbprintCommand.self,
    ])
}
