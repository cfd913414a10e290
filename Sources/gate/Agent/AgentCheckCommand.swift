import ArgumentParser
import GatehouseAgentServer
import GatehouseBase

/// `gate agent check`
struct AgentCheckCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the settings, without a daemon.",
    discussion: "A mistake is printed with its line and column, and the exit status is 1.")

  @OptionGroup var configuration: AgentConfigurationOptions
  @OptionGroup var folder: FolderOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let home = try folder.home()
    let source = configuration.source(home.variable)
    let settings = try source.read()
    let agent = AgentFolder(home: home)
    try agent.requireNotOwn(settings.files)
    let logins = try agent.names()
    if let name = logins.first(where: { settings.accounts[$0] != nil }) { throw AuthError.isTwice(name) }
    for name in settings.files.keys.sorted() where settings.accounts[name] == nil && !logins.contains(name) {
      StandardError.say("files.\(name): there is no account of this name yet; gate agent login \(name) makes one")
    }
    let keys = try AgentKeys(settings, home.variable).ids
    let file = try source.isThere() ? source.path : nil
    let count = counted(settings.accounts.count, "account"), rules = counted(settings.clients.count, "rule")
    var line = file.map { "\($0): \(count), \(rules)" } ?? "there are no settings: the defaults apply"
    if let key = keys.first { line += "; sessions are encrypted under the key \(key)" }
    var json: JSONObject = ["accounts": .number(JSONNumber(settings.accounts.count))]
    if !keys.isEmpty { json["keys"] = .array(keys.map(JSONValue.string)) }
    try answer.write(line, json: json)
  }
}
