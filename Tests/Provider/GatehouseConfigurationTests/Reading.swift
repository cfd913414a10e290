import Configuration
import GatehouseBase
import GatehouseConfiguration
import GatehouseHTTP
import GatehouseLocal

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
    _ = try await options(text, environment, over: .withTransport)
    return "accepted"
  } catch {
    return error.code == .invalidArgument ? error.message : "\(error)"
  }
}

extension LocalOptions {
  /// The library's own values, with a transport that reaches no server.
  static var withTransport: LocalOptions {
    var options = LocalOptions()
    options.transport = Unreachable()
    return options
  }
}

private struct Unreachable: HTTPTransport {
  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    throw AuthError(.networkError, "there is no server in this test")
  }
}
