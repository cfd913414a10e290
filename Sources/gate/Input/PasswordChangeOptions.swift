import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// The options for the two passwords of a change. Both are typed at the terminal, unless the arguments name standard
/// input or files.
struct PasswordChangeOptions: ParsableArguments {
  @Flag(
    name: .customLong("password-stdin"),
    help: "Read two lines from standard input: the present password, and the new one.")
  var fromStandardInput = false

  @Option(
    name: .customLong("password-file"), help: ArgumentHelp("Read the present password from a file.", valueName: "file"),
    completion: .file(), transform: fileName)
  var file: String?

  @Option(
    name: .customLong("new-password-file"), help: ArgumentHelp("Read the new password from a file.", valueName: "file"),
    completion: .file(), transform: fileName)
  var newFile: String?

  func validate() throws {
    if fromStandardInput && (file != nil || newFile != nil) {
      throw ValidationError("--password-stdin and the files exclude each other")
    }
    if (file == nil) != (newFile == nil) {
      throw ValidationError("--password-file and --new-password-file go together")
    }
  }

  /// Reads both passwords from standard input or files; `nil` if a person types them.
  func given() throws -> (present: Secret, new: Secret)? {
    let limit = PasswordOptions.limit
    if fromStandardInput {
      let lines = try Input.standard.lines(limit: 2 * limit)
      guard lines.count == 2 else {
        throw AuthError(
          .invalidArgument, "standard input must have two lines, and no more: the present password, and the new one")
      }
      guard lines.allSatisfy({ !$0.isEmpty }) else {
        throw AuthError(.missingPassword, "one of the two lines of standard input is empty; each is a password")
      }
      return (Secret(lines[0]), Secret(lines[1]))
    }
    if let file, let newFile {
      return (try Input.file(file).secret(limit: limit), try Input.file(newFile).secret(limit: limit))
    }
    return nil
  }

  /// Asks the person for the present password, and checks it. What is typed meanwhile is not shown.
  ///
  /// - Parameters:
  ///   - account: the account that the password belongs to, for the prompt.
  ///   - check: checks the password. It calls its second argument before it asks the person for anything else.
  func typedPresent<Value: Sendable>(
    of account: String, _ check: (Secret, _ showing: () async -> Void) async throws -> Value
  ) async throws -> Value {
    _ = try terminal()
    let (typed, hidden) = try await HiddenInput.ask("Present password of \(account.printable): ")
    do {
      let value = try await check(try Terminal.secret(in: typed), hidden.end)
      await hidden.end()
      return value
    } catch {
      await hidden.end()
      throw error
    }
  }

  /// Asks the person for the new password, which must pass a check before it is asked for again.
  func typedNew(_ check: NewPasswordCheck) throws -> Secret {
    try terminal().askSecretlyTwice("New password: ", check)
  }

  private func terminal() throws -> Terminal {
    guard let terminal = Terminal() else {
      throw ValidationError("there is no terminal to ask for passwords; use --password-stdin, or the two files")
    }
    return terminal
  }
}

/// The check of a new password, between the two prompts for it. It waits for nothing.
typealias NewPasswordCheck = (Secret) throws(AuthError) -> Void

extension Terminal {
  /// Asks for a new secret twice, so that a typing mistake is noticed.
  ///
  /// - Parameter check: what the secret must pass before it is asked for again.
  func askSecretlyTwice(_ question: String, _ check: NewPasswordCheck) throws(AuthError) -> Secret {
    let password = try askSecretly(question)
    try check(password)
    guard try askSecretly("Password again: ") == password else {
      throw AuthError(.invalidArgument, "the two passwords differ; nothing was done")
    }
    return password
  }
}
