import ArgumentParser
import GatehouseAgent
import GatehouseAgentClient
import GatehouseBase
import GatehouseSystem

/// `gate agent exec NAME -- COMMAND …`
struct AgentExecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec", abstract: "Run a program with a token in its environment.",
    discussion: """
      The program finds the token in GATEHOUSE_TOKEN, and takes the place of this one: it has its process ID, its \
      input and its output, and its exit status. The token is not renewed while the program runs; a program that runs \
      for long asks the agent itself. Other programs of the same user can read a program's environment.
      """)

  @OptionGroup var account: AgentAccountArgument
  @Option(help: ArgumentHelp("How long the token must last, in seconds.", valueName: "seconds")) var minValidity = 120
  @OptionGroup var socket: AgentSocketOptions
  @Argument(parsing: .postTerminator, help: "The program and its arguments, after `--`.") var command: [String] = []

  func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError("which program? Write it after --, such as: gate agent exec mail -- mutt")
    }
    guard (0...31_536_000).contains(minValidity) else {
      throw ValidationError("--min-validity must be from 0 to 31536000 seconds")
    }
  }

  func run() async throws {
    let path = try Executable(named: command[0]).path
    let token = try await socket.token(of: account.name, lasting: minValidity)
    let program = Program(path, command, setting: ["GATEHOUSE_TOKEN": token.value.revealed])
    do throws(SystemError) { try program.takeOver() } catch {
      throw AuthError(.invalidArgument, "\(command[0].shown) could not be started: \(error)")
    }
  }
}
