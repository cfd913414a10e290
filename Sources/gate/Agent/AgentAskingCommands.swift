import ArgumentParser
import GatehouseAgent
import GatehouseAgentClient
import GatehouseBase

/// The name of an account, in the arguments of a command.
struct AgentAccountArgument: ParsableArguments {
  @Argument(help: "The account's name.") var name: String

  func validate() throws {
    do throws(AuthError) { try Agent.check(name) } catch { throw ValidationError(error.message) }
  }
}

/// `gate agent token NAME`
struct AgentTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print a token that lasts.",
    discussion: "The exit status is 3 if a person must sign in.")

  @OptionGroup var account: AgentAccountArgument
  @Option(help: ArgumentHelp("How long the token must last, in seconds.", valueName: "seconds")) var minValidity = 120
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var socket: AgentSocketOptions

  func validate() throws {
    guard (0...31_536_000).contains(minValidity) else {
      throw ValidationError("--min-validity must be from 0 to 31536000 seconds")
    }
  }

  func run() async throws {
    let token = try await socket.token(of: account.name, lasting: minValidity)
    let json: JSONObject = [
      "account": .string(account.name), "token": .string(token.value.revealed),
      "expiresIn": .number(JSONNumber(token.lifetime.wholeSeconds)),
    ]
    try StandardOutput.write(line: answer.asJSON ? "\(json)" : token.value.revealed)
  }
}

/// `gate agent list`
struct AgentListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the accounts and their states.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var socket: AgentSocketOptions

  func run() async throws {
    let json = try await socket.client().answer("GET", "/v1/accounts")
    let accounts = json["accounts"]?.array ?? []
    try answer.write(
      accounts.isEmpty
        ? "there is no account; make one: gate agent login NAME …"
        : accounts.map(Self.line).table, json: json)
  }

  /// The line that people read: `mail: lending, 3312 s left (Gatehouse session)`.
  private static func line(_ account: JSONValue) -> String {
    func text(_ name: String) -> String { (account[name]?.string ?? "").shown }
    var parts = [text("state") == "needsPerson" ? "needs a person" : text("state")]
    if let seconds = account["expiresIn"]?.integer { parts.append("\(seconds) s left") }
    if account["fetching"]?.bool == true { parts.append("fetching") }
    let reason = account["error"]?["message"]?.string.map { ": \($0.shown)" } ?? ""
    return "\(text("name")): \(parts.joined(separator: ", ")) (\(text("kind")))\(reason)"
  }
}

/// `gate agent status`
struct AgentStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say whether the daemon runs, and how its accounts are.",
    discussion: "The exit status is 0 if the daemon answers, and 3 if an account needs a person.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var socket: AgentSocketOptions

  func run() async throws {
    let json = try await socket.client().answer("GET", "/v1/status")
    func count(_ name: String) -> Int64 { json["accounts"]?[name]?.integer ?? 0 }
    try answer.write(
      """
      the agent runs as process \(json["process"]?.integer ?? 0): \(count("lending")) lending, \
      \(count("failing")) failing, \(count("empty")) without a token, \(count("needsPerson")) in need of a person
      """, json: json)
    if count("needsPerson") > 0 { throw ExitCode(ExitStatus.signInAgain) }
  }
}

/// `gate agent reload`
struct AgentReloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Have the daemon read its settings again.",
    discussion: "Settings with a mistake change nothing, and the mistake is printed.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var socket: AgentSocketOptions

  func run() async throws {
    let json = try await socket.client().answer("POST", "/v1/reload")
    let count = json["accounts"]?.integer ?? 0, changed = json["changed"]?.integer ?? 0
    try answer.write("\(counted(Int(count), "account")), \(changed) changed", json: json)
  }
}
