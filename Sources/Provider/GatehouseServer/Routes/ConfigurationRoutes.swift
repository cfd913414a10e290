import GatehouseBase
import GatehouseLocal

extension Route {
  /// The routes of the project's own configuration.
  static let ofConfiguration: [Route] = {
    let path = "identitytoolkit.googleapis.com/v2/projects/{project}/config"
    return resource("GET", path) { try await $0.configuration() } + resource("PATCH", path) { try await $0.configure() }
  }()

  /// The same routes in an emulator, without a credential.
  static let ofEmulatorConfiguration: [Route] = {
    let path = "/emulator/v1/projects/{project}/config"
    var routes = [
      open("GET", path) { try await $0.emulatorConfiguration() },
      open("PATCH", path) { routed in
        routed.emulatorResponse(of: try await routed.change())
      },
    ]
    for index in routes.indices { routes[index].absent = Refusal.absentProject.response }
    return routes
  }()
}

extension RoutedRequest {
  fileprivate func configuration() async throws -> ServerResponse {
    response(of: try await scene.provider.configuration(by: administrator))
  }

  private func response(of configuration: JSONObject) -> ServerResponse {
    var document = configuration
    document["authorizedDomains"] = .array(scene.provider.authorizedDomains.map(JSONValue.string))
    return ServerResponse(json: document)
  }

  fileprivate func configure() async throws -> ServerResponse {
    response(of: try await change())
  }

  /// Returns only the part that Google's emulator shows.
  fileprivate func emulatorConfiguration() async throws -> ServerResponse {
    emulatorResponse(of: try await scene.provider.configuration(by: .emulator))
  }

  fileprivate func emulatorResponse(of document: JSONObject) -> ServerResponse {
    ServerResponse(json: [
      "signIn": ["allowDuplicateEmails": false],
      "emailPrivacyConfig": [
        "enableImprovedEmailPrivacy": document["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] ?? false
      ],
    ])
  }

  fileprivate func change() async throws -> JSONObject {
    // Only an emulator has a route without a credential.
    try await scene.provider.configure(try document(), mask: try updateMask, by: administrator ?? .emulator)
  }
}
