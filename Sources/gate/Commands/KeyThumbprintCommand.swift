import ArgumentParser
import GatehouseJOSE

/// `gate key thumbprint FILE`
struct KeyThumbprintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbprint", abstract: "Print the thumbprint of each key of a file (RFC 7638, SHA-256).",
    discussion: """
      A private key has the thumbprint of its public half. The thumbprint of a shared secret is a hash of the secret: \
      do not publish it if the secret could be guessed.
      """)

  @Argument(help: "A file with keys: PEM, a JWK, a JWK set, certificates.", completion: .file(), transform: fileName)
  var file: String
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var answer: AnswerOptions

  func run() throws {
    for key in try KeyFile(path: file).keys(passphrase) {
      let thumbprint = try key.thumbprint()
      try answer.write(thumbprint, json: ["thumbprint": .string(thumbprint)])
    }
  }
}
