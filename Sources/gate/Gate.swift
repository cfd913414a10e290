import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// The program. It parses its arguments, runs one command, and ends with a status of `ExitStatus`.
@main
struct Gate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Sign in, hold fresh tokens, sign and verify them, with no service to start.",
    discussion: """
      State is kept in one folder: --home, else $GATEHOUSE_HOME, else gatehouse in $XDG_STATE_HOME or ~/.local/state.
      A session's commands ask the provider in that folder, or with --backend a server: at a URL (an emulator, or gate \
      serve), or Google's Identity Platform (identity-platform, with an API key). The folder remembers which one its \
      session belongs to.
      Passwords and passphrases come from a prompt, from standard input or from a file, never from the arguments.
      With --json an answer is one line of JSON, and a failure too: {"error": {"code", "message", "status"}}.

      Exit status:
        0    done
        1    refused, with the reason on standard error
        2    wrong usage (queuecheck: the program cannot be watched)
        3    a person must sign in again (queuecheck: a report was made)
        4    queuecheck only: a part of the record was lost
        128 + N  ended by signal N; 141 if the reader of a pipe went away
      """,
    version: "gate 0.1.0-dev, not released",
    subcommands: [
      DemoCommand.self, SignUpCommand.self, SignInCommand.self, SignOutCommand.self, WhoAmICommand.self,
      SignInLinkCommand.self, SavedUsersCommand.self, ProfileCommand.self, LinkCommand.self, UnlinkCommand.self,
      PasswordCommand.self, ResetPasswordCommand.self, VerifyEmailCommand.self, ChangeEmailCommand.self,
      ApplyCodeCommand.self,
      SecondFactorsCommand.self, SessionsCommand.self, DeleteCommand.self, TokenCommand.self, VerifyCommand.self,
      JWTCommand.self, KeyCommand.self, JWKSCommand.self, UsersCommand.self, TenantsCommand.self, KeysCommand.self,
      ServiceAccountsCommand.self, ProviderCommand.self, ServeCommand.self, AgentCommand.self,
      QueueCheckCommand.self,
    ])

  // The option is here too, so that `gate --home DIR token` is understood as well as `gate token --home DIR`.
  @OptionGroup var folder: FolderOptions
  // Hidden here: the help texts of commands that use a session show it.
  @OptionGroup(visibility: .hidden) var backend: BackendOptions

  /// Runs on the first thread, before there is another one.
  @MainActor static func main() async {
    // The daemon's tokens stay, and lie between what their fetches have freed.
    if CommandLine.arguments.contains("agent") { FreeMemory.useOneHeap() }
    await runCommand()
  }

  private static func runCommand() async {
    InheritedDescriptor.makeStandardOnesSafe()
    let arguments = Array(CommandLine.arguments.dropFirst())
    requireDescriptors(for: arguments)
    CurrentProcess.restoreDefault(of: .quit)
    GivenText.requireArguments()
    if let unknown = UnknownCommand.first(in: arguments, of: Gate.self) {
      StandardError.write(line: unknown.message.printable.fittedToErrors)
      FailureAnswer(usage: unknown.reason).write(ifAskedBy: arguments)
      CurrentProcess.exit(ExitStatus.usage)
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
      let status = end(parsed, arguments, with: error)
      StandardError.finish()
      CurrentProcess.exit(status)
    }
  }

  /// Ends the program with the reason if it may not open as many files as a command needs. Raises the soft limit first,
  /// but not for `queuecheck`: the program that it runs has the limit that it would have without us.
  ///
  /// Dispatch stops the program with a trap when it cannot open a file of its own. It opens some with its first thread,
  /// and others every second. `queuecheck` needs the most: about 25, of which nine are for signals. A watch needs 17.
  private static func requireDescriptors(for arguments: [String]) {
    let isQueueCheck = UnknownCommand.names(in: arguments).first == QueueCheckCommand.configuration.commandName
    let count = isQueueCheck ? 32 : 24
    do throws(SystemError) {
      if !isQueueCheck, let free = try? DescriptorLimit.free, free < count {
        try DescriptorLimit.raise(to: DescriptorLimit.current.soft + count - free)
      }
      try DescriptorLimit.requireFree(count)
    } catch {
      let words = error.number?.words ?? "\(error)"
      let reason = "\(count) free file descriptors are needed (\(words)); raise the limit, for example: ulimit -n 256"
      StandardError.say(reason)
      let status = isQueueCheck ? ExitStatus.usage : ExitStatus.refused
      FailureAnswer(AuthError(.internalError, reason), status: status).write(ifAskedBy: arguments)
      CurrentProcess.exit(status)
    }
  }

  /// Prints the reason, and returns the exit status.
  private static func end(
    _ command: (any ParsableCommand)?, _ arguments: [String], with error: any Error
  ) -> Int32 {
    let answered = (error as? AnsweredRefusal)?.error
    if let error = answered ?? error as? AuthError {
      guard error != StandardOutput.readerGone else { return ExitStatus.readerGone }
      let status =
        command is any AdministratorCommand
        ? ExitStatus.refused
        : ExitStatus.of(error, during: command.flatMap { type(of: $0).configuration.commandName })
      StandardError.say("\(error)".shown)
      if answered == nil { FailureAnswer(error, status: status).write(ifAskedBy: arguments) }
      return status
    }
    let message = CommandUsage.message(for: error, of: command.map { type(of: $0) })
    // On a terminal with few columns, the parser's own check for a help text would end the program.
    let code = CommandUsage.isHelp(message) ? .success : exitCode(for: error)
    switch code {
    case .success:
      do throws(AuthError) { try StandardOutput.write(line: CompletionScript.completingHelp(message)) } catch {
        return end(command, arguments, with: error)
      }
      return ExitStatus.done
    case .validationFailure:
      StandardError.write(line: message)
      FailureAnswer(usage: self.message(for: error)).write(ifAskedBy: arguments)
      return ExitStatus.usage
    default:
      if !message.isEmpty { StandardError.write(line: message) }
      return code.rawValue
    }
  }
}
