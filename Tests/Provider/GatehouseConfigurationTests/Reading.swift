import Configuration
import GatehouseBase
import GatehouseConfiguration

/// What a text says, as the file `settings.json`.
func file(_ text: String) throws(AuthError) -> any ConfigProvider {
  try ProviderSettings.file(parsing: text, name: "settings.json")
}

/// The options of a text, under variables of the environment.
func options(
  _ text: String = "{}", _ environment: [String: String] = [:], over base: LocalOptions = LocalOptions()
) async throws(AuthError) -> LocalOptions {
  let providers = [try typed { try ProviderSettings.environment(environment) }, try file(text)]
  return try await typed { try await LocalOptions(reading: ConfigReader(providers: providers), over: base) }
}

/// The message of the refusal of a text.
func refusal(_ text: String = "{}", _ environment: [String: String] = [:]) async -> String {
  do throws(AuthError) {
    _ = try await options(text, environment)
    return "accepted"
  } catch {
    return error.code == .invalidArgument ? error.message : "\(error)"
  }
}
