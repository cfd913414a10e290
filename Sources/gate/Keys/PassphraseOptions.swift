import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// The options for the passphrase of a private key. It comes from a file or standard input, or from a prompt if a key
/// needs one. It is never in the arguments, which every user of the machine can read.
struct PassphraseOptions: ParsableArguments {
  @Flag(name: .customLong("passphrase-stdin"), help: "Read the key's passphrase from standard input.")
  var fromStandardInput = false

  @Option(
    name: .customLong("passphrase-file"),
    help: ArgumentHelp("Read the key's passphrase from a file.", valueName: "file"), completion: .file(),
    transform: fileName)
  var file: String?

  /// The maximum length in bytes. This is more than a passphrase may have.
  private static let limit = 4096

  func validate() throws {
    if fromStandardInput && file != nil {
      throw ValidationError("--passphrase-stdin and --passphrase-file exclude each other")
    }
  }

  /// Returns the passphrase from a file or standard input, if the arguments name one, without a newline at its end;
  /// otherwise `nil`.
  func given() throws(AuthError) -> Secret? {
    if fromStandardInput { return Secret(try Input.standard.line(limit: Self.limit)) }
    return try file.map { file throws(AuthError) in try Self.read(file) }
  }

  /// Returns the passphrase of an encrypted file. If the arguments name no source for it, the person is asked.
  func needed(for name: String) throws -> Secret {
    if let given = try given() { return given }
    guard let terminal = Terminal() else {
      throw ValidationError("there is no terminal to ask for a passphrase; use --passphrase-stdin or --passphrase-file")
    }
    return try terminal.askSecretly(
      "Passphrase of \(name.printable): ", orGiveBy: "--passphrase-stdin or --passphrase-file")
  }

  static func read(_ file: String) throws(AuthError) -> Secret { Secret(try Input.file(file).line(limit: limit)) }
}
