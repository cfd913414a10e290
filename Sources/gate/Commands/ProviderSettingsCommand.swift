import ArgumentParser
import GatehouseBase
import GatehouseConfiguration

/// `gate provider settings`
struct ProviderSettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show the provider's settings, and where each one comes from.",
    discussion: """
      A variable of the environment that begins with GATEHOUSE_PROVIDER_ decides, then provider.json in the home, then \
      the default. Secrets are not shown.
      """)

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let rows = try await home.home().settingsInForce().rows
    let lines = rows.map { row in "\(row.setting.key): \(row.value.shown)\(row.source.map { " (\($0))" } ?? "")" }
    try answer.write(lines.table, json: ["settings": .array(rows.map { .object($0.json) })])
  }
}

extension SettingsInForce.Row {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["key": .string(setting.key), "value": .string(value)]
    json["source"] = source.map(JSONValue.string)
    return json
  }
}
