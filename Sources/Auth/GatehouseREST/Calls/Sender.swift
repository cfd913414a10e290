import GatehouseBase

/// Who sends a call.
enum Sender {
  /// An app, by its API key.
  case app(key: String)
  /// An administrator of a project, by an access token.
  case administrator(projectID: String, token: Secret)

  /// The path of an administrator's call, about the project's own accounts or those of a tenant.
  func path(of endpoint: String, inTenant tenantID: String?) -> String {
    guard case .administrator(let projectID, _) = self else { return endpoint }
    let tenant = tenantID.map { "/tenants/" + FormEncoding.escaped($0) } ?? ""
    return endpoint.replacing("{project}", with: FormEncoding.escaped(projectID) + tenant)
  }
}
