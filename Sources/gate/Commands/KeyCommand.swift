import ArgumentParser

/// `gate key`
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make, show and convert keys for tokens: JWK and PEM.",
    discussion: """
      A key file is PEM (PKCS#8, PKCS#1, SEC 1, SPKI), a JWK, a JWK set, or certificates; /dev/stdin is a file too. Of \
      a certificate only the public key is used: its chain is not verified. A private key is shown on a terminal only \
      with --force, and is written to files that only their owner can read.
      """,
    subcommands: [
      KeyGenerateCommand.self, KeyShowCommand.self, KeyConvertCommand.self, KeyThumbprintCommand.self,
    ])
}
