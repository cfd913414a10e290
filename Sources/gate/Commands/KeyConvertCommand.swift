import ArgumentParser
import GatehouseJOSE

/// `gate key convert FILE --to FORM`
struct KeyConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Write a key in another form, or its public half.",
    discussion: """
      A private key stays private, unless --public asks for its other half. A JWK set (--to jwks) is for publishing: \
      it has the public halves of all the file's keys. A JWK gets a name if it has none: the key's thumbprint. PEM \
      holds the key alone: a JWK's labels and certificates are left out.
      """)

  enum Form: String, ExpressibleByArgument, CaseIterable { case jwk, pem, jwks }

  @Argument(help: "A file with keys: PEM, a JWK, a JWK set, certificates.", completion: .file(), transform: fileName)
  var file: String
  @Option(help: "The form to write.") var to: Form
  @Flag(name: .customLong("public"), help: "Write the public half only.") var isPublic = false
  @OptionGroup var labels: KeyLabels
  @OptionGroup var passphrase: PassphraseOptions
  @Option(
    help: ArgumentHelp("Encrypt the private key, as PEM, with a passphrase from a file.", valueName: "file"),
    completion: .file(), transform: fileName)
  var newPassphraseFile: String?
  @OptionGroup var output: KeyOutput

  func validate() throws {
    if to == .pem, labels.areGiven { throw ValidationError("PEM holds no kid, alg or use") }
    if newPassphraseFile != nil, to != .pem || isPublic {
      throw ValidationError("--new-passphrase-file is for private keys as PEM")
    }
  }

  func run() throws {
    guard let form = KeyForm(rawValue: to.rawValue) else { return try writeSet() }
    var key = try labels.applied(to: KeyFile(path: file).key(passphrase))
    if isPublic { key = try key.publicHalf() }
    if form == .pem, key.certificates.isEmpty, key.certificateFingerprint != nil {
      StandardError.say("x5t#S256 is left out: PEM holds the key alone, and this is only its certificate's hash")
    }
    let newPassphrase = try newPassphraseFile.map { try PassphraseOptions.read($0) }
    try output.write(form.text(of: key, passphrase: newPassphrase), isSecret: key.isSecret)
  }

  private func writeSet() throws {
    let keys = try KeyFile(path: file).keys(passphrase).map { try labels.applied(to: $0).publicHalf() }
    try output.write(Secret("\(JWKSet(keys).json)\n"), isSecret: false)
  }
}
