import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// The program: parses its arguments, runs one command, and ends with a status of `ExitStatus`.
@main
struct Gate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Sign in, hold fresh tokens, sign and verify them, with no service to start.",
    discussion: """
      State is kept in one folder: --home, else $GATEHOUSE_HOME, else gatehouse in $XDG_STATE_HOME or ~/.local/state.
      Passwords and passphrases come from a prompt, from standard input or from a file, never from the arguments.
      Exit status: 0 done; 1 refused, with the reason on standard error; 2 usage; 3 a person must sign in again.
      """,
    version: "gate 0.1.0-dev, not released",
    subcommands: [
      DemoCommand.self, SignUpCommand.self, SignInCommand.self, SignOutCommand.self, WhoAmICommand.self,
      PasswordCommand.self, DeleteCommand.self, TokenCommand.self, VerifyCommand.self, JWTCommand.self, KeyCommand.self,
      JWKSCommand.self,
      ProviderCommand.self, QueueCheckCommand.self,
    ])

  // Here too, so that `gate --home DIR token` is understood as well as `gate token --home DIR`.
  @OptionGroup var home: HomeOptions

  static func main() async {
    InheritedDescriptor.makeStandardOnesSafe()
    CurrentProcess.restoreDefault(of: .quit)
    if let unknown = UnknownCommand.first(in: Array(CommandLine.arguments.dropFirst()), of: Gate.self) {
      StandardError.write(line: unknown.message.printable)
      CurrentProcess.exit(2)
    }
    var parsed: (any ParsableCommand)?
    do {
      var command = try await asyncParseAsRoot()
      parsed = command
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      CurrentProcess.exit(end(parsed, with: error))
    }
  }

  /// Says why, and answers the exit status.
  private static func end(_ command: (any ParsableCommand)?, with error: any Error) -> Int32 {
    if let error = error as? AuthError {
      StandardError.say("\(error)")
      return ExitStatus.of(error, during: command)
    }
    let (message, code) = (fullMessage(for: error), exitCode(for: error))
    switch code {
    case .success:
      do throws(AuthError) { try StandardOutput.write(line: message) } catch { return end(command, with: error) }
      return 0
    case .validationFailure:
      StandardError.write(line: message)
      return 2
    default:
      if !message.isEmpty { StandardError.write(line: message) }
      return code.rawValue
    }
  }
}
