import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// Where the passphrase of a private key comes from: a file or standard input, or a prompt when a key needs one. Never
/// the arguments, which every user of the machine can read.
struct PassphraseOptions: ParsableArguments {
  @Flag(name: .customLong("passphrase-stdin"), help: "Read the key's passphrase from standard input.")
  var fromStandardInput = false

  @Option(
    name: .customLong("passphrase-file"),
    help: ArgumentHelp("Read the key's passphrase from a file.", valueName: "file"), completion: .file(),
    transform: fileName)
  var file: String?

  /// In bytes; more than a passphrase may have.
  private static let limit = 4096

  func validate() throws {
    if fromStandardInput && file != nil {
      throw ValidationError("--passphrase-stdin and --passphrase-file exclude each other")
    }
  }

  /// The passphrase that the arguments lead to; `nil` if they lead to none. One newline at its end is not part of it.
  func given() throws(AuthError) -> Secret? {
    if fromStandardInput { return Secret(try Input.standard.line(limit: Self.limit)) }
    return try file.map { file throws(AuthError) in try Self.read(file) }
  }

  /// The passphrase of a file that is encrypted: asked for if the arguments lead to none.
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
