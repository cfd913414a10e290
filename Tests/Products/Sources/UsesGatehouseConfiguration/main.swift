import GatehouseConfiguration

let environment = try ProviderSettings.environment(["GATEHOUSE_PROVIDER_TOKEN_LIFETIME": "10 min"])
let options = try await LocalOptions(reading: ConfigReader(provider: environment))
precondition(options.tokenLifetime == .seconds(600))
print("GatehouseConfiguration: tokens live as long as a variable says.")
