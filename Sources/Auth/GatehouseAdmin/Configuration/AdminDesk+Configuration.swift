import GatehouseBase
import IdentityToolkit

extension AdminDesk {
  func projectConfig() async throws(AuthError) -> ProjectConfig {
    ProjectConfig(try await answer(ReadResource()).json)
  }

  func updateProjectConfig(_ request: UpdateProjectConfigRequest) async throws(AuthError) -> ProjectConfig {
    let json = try request.json()
    guard !json.isEmpty else { return try await projectConfig() }
    return ProjectConfig(try await answer(UpdateResource(configuration: json, mask: json.names)).json)
  }
}
