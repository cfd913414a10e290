import GatehouseBase
import IdentityToolkit

extension Route {
  /// The routes of the resources that administrators configure: tenants, and the identity providers of the project and
  /// of each tenant.
  static let ofResources: [Route] = {
    let project = "identitytoolkit.googleapis.com/v2/projects/{project}"
    var routes = resources(.tenant, below: project)
    for parent in [project, "\(project)/tenants/{tenantId}"] {
      routes += resources(.oauthIdpConfig, below: parent) + resources(.inboundSamlConfig, below: parent)
    }
    return routes
  }()

  private static func resources(_ kind: ResourceKind, below parent: String) -> [Route] {
    let all = "\(parent)/\(kind.collection)", one = "\(all)/{id}"
    return route("POST", all) { routed in
      CreateResource(
        kind, newID: routed.item("\(kind.rawValue)Id"), try routed.document(), of: routed.parameters["tenantId"])
    }
      + route("GET", all) { routed in
        ListResources(
          kind, pageSize: routed.item("pageSize").map { Int($0) ?? 0 }, pageToken: routed.item("pageToken"),
          of: routed.parameters["tenantId"])
      }
      + route("GET", one) { routed in ReadResource(kind, routed.id, of: routed.parameters["tenantId"]) }
      + route("PATCH", one) { routed in
        UpdateResource(
          kind, routed.id, try routed.document(), mask: try routed.updateMask, of: routed.parameters["tenantId"])
      }
      + route("DELETE", one) { routed in DeleteResource(kind, routed.id, of: routed.parameters["tenantId"]) }
  }

  private static func route<C: ResourceCall>(
    _ method: String, _ path: String, call: @escaping @Sendable (RoutedRequest) throws -> C
  ) -> [Route] {
    resource(method, path) { routed in
      ServerResponse(json: try await routed.backend.answer(try call(routed)).json)
    }
  }

  /// Makes the routes below the host's name, and at the host's own path.
  static func resource(
    _ method: String, _ path: String, answer: @escaping @Sendable (RoutedRequest) async throws -> ServerResponse
  ) -> [Route] {
    ["/\(path)", String(path.drop { $0 != "/" })].map { path in
      Route(method: method, path: RoutePath(path), access: .administrator, answer: answer)
    }
  }
}

extension RoutedRequest {
  fileprivate var id: String { parameters["id"] ?? "" }

  /// The members that a change is about; `nil` for all members of the body.
  ///
  /// - Throws: A refusal of a parameter that is neither this one nor of every method: a misspelled one would count as
  ///   omitted.
  var updateMask: [String]? {
    get throws(Refusal) {
      let names = query.map(\.name.camelCased)
      if let index = names.firstIndex(where: { $0 != "updateMask" && !Self.parameters.contains($0) }) {
        throw .invalid("Unknown name \"\(query[index].name.printable())\": Cannot bind query parameter.")
      }
      guard names.count(where: { $0 == "updateMask" }) < 2 else { throw .invalid("updateMask is there twice") }
      let mask = item("updateMask") ?? item("update_mask")
      return mask.map { $0.split(separator: ",").map(String.init) }
    }
  }

  /// The parameters of every method of Google's APIs, in camel case
  /// (https://cloud.google.com/apis/docs/system-parameters).
  private static let parameters: Set = [
    "accessToken", "alt", "callback", "fields", "key", "oauthToken", "prettyPrint", "quotaUser", "uploadProtocol",
    "uploadType", "$.xgafv", "$alt", "$callback", "$fields", "$key", "$prettyPrint", "$quotaUser",
  ]

  /// Returns the request's body, a JSON document.
  func document() throws -> JSONObject {
    guard !request.body.isEmpty else { return [:] }
    do throws(AuthError) { return try JSONObject(reading: request.body, limits: scene.options.json) } catch {
      throw Refusal.unreadable(error.message)
    }
  }
}
