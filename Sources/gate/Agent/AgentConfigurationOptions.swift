import ArgumentParser
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem

/// `--config`: the file with the daemon's settings.
struct AgentConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The settings, a JSON file; else gatehouse/agent.json in $XDG_CONFIG_HOME or ~/.config, if there is one.",
      valueName: "file"),
    completion: .file(), transform: fileName)
  var config: String?

  /// The file that is read.
  func source(_ variable: (String) -> String?) -> AgentSettingsSource {
    if let config { return AgentSettingsSource(path: config, mustExist: true) }
    let folder = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let path = (folder ?? variable("HOME").map { $0 + "/.config" }).map { $0 + "/gatehouse/agent.json" }
    return AgentSettingsSource(path: path, mustExist: false)
  }
}

/// The file of the daemon's settings, which is read at the start and at each reload.
struct AgentSettingsSource: Sendable {
  /// `nil` if there is no user whose file it could be.
  let path: String?
  /// Whether a file that is not there is an error. Otherwise it means the defaults.
  let mustExist: Bool

  /// The path for people.
  var shown: String { path?.shown ?? "which have no file" }

  /// Whether there is a file.
  func isThere() throws(AuthError) -> Bool {
    guard let path else { return false }
    guard !mustExist else { return true }
    do throws(SystemError) { return try FileStatus.at(path) != nil } catch {
      throw AuthError(.storeUnreadable, "the settings cannot be read: \(error)")
    }
  }

  func read() throws(AuthError) -> AgentSettings {
    guard try isThere(), let path else { return AgentSettings() }
    return try AgentSettings(file: path)
  }

  /// The keys of the sessions.
  func keys(_ variable: (String) -> String?) throws(AuthError) -> AgentKeys { try AgentKeys(try read(), variable) }
}
