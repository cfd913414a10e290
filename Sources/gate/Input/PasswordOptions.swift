import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// The options for a password. It is typed at the terminal, unless the arguments name standard input or a file. It is
/// never in the arguments themselves, which every user of the machine can read.
struct PasswordOptions: ParsableArguments {
  @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
  var fromStandardInput = false

  @Option(
    name: .customLong("password-file"), help: ArgumentHelp("Read the password from a file.", valueName: "file"),
    completion: .file(), transform: fileName)
  var file: String?

  /// The maximum length in bytes. This is more than any provider accepts, and little enough for memory.
  static let limit = 64 * 1024

  /// Whether the arguments say where the password is.
  var isGiven: Bool { fromStandardInput || file != nil }

  func validate() throws {
    if fromStandardInput && file != nil {
      throw ValidationError("--password-stdin and --password-file exclude each other")
    }
  }

  /// Reads the password, without a newline at its end.
  ///
  /// - Parameters:
  ///   - account: the account that the password belongs to, for the prompt.
  ///   - purpose: what the password is needed for, for the prompt.
  func password(of account: String, for purpose: String = "") throws -> Secret {
    if let given = try given() { return given }
    return try terminal().askSecretly(question(account, purpose))
  }

  /// Reads a new password. A prompt asks twice, and refuses a password that breaks the rules before the second time.
  ///
  /// - Parameters:
  ///   - account: the account that the password belongs to, for the prompt.
  ///   - purpose: what the password is needed for, for the prompt.
  ///   - check: makes the check that a typed password must pass. It is called before the first prompt.
  func newPassword(
    of account: String, for purpose: String = "", _ check: () async -> NewPasswordCheck
  ) async throws -> Secret {
    if let given = try given() { return given }
    let terminal = try terminal()
    return try terminal.askSecretlyTwice(question(account, purpose), await check())
  }

  private func given() throws -> Secret? {
    if fromStandardInput { return try Input.standard.secret(limit: Self.limit) }
    return try file.map { file throws(AuthError) in try Input.file(file).secret(limit: Self.limit) }
  }

  private func terminal() throws -> Terminal {
    guard let terminal = Terminal() else {
      throw ValidationError("there is no terminal to ask for a password; use --password-stdin or --password-file")
    }
    return terminal
  }

  private func question(_ account: String, _ purpose: String) -> String {
    "Password of \(account.printable)\(purpose): "
  }
}
