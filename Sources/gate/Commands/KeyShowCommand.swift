import ArgumentParser
import GatehouseJOSE

/// `gate key show FILE`
struct KeyShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Describe the keys in a file, without their secrets.",
    discussion: """
      The thumbprint is that of RFC 7638; spki_sha256 is the hash of the public key in DER. A certificate's subject, \
      validity and hash (x5t#S256) are shown as well, and not verified. With --json the answer has one line for each \
      key.
      """)

  @Argument(help: "A file with keys: PEM, a JWK, a JWK set, certificates.", completion: .file(), transform: fileName)
  var file: String
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var answer: AnswerOptions

  func run() throws {
    let portraits = try KeyFile(path: file).keys(passphrase).map { try KeyPortrait($0) }
    for (place, portrait) in portraits.enumerated() {
      if place > 0, !answer.asJSON { try StandardOutput.write(line: "") }
      try answer.write(portrait.text, json: portrait.json)
    }
  }
}
