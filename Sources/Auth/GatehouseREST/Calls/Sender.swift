import GatehouseBase

/// The sender of a call.
enum Sender {
  /// An app, identified by its API key.
  case app(key: String)
  /// An administrator of a project, identified by an access token.
  case administrator(projectID: String, token: Secret)

  /// Returns the path of an administrator's call, about the accounts of the project or of a tenant.
  func path(of endpoint: String, inTenant tenantID: String?) -> String {
    guard case .administrator(let projectID, _) = self else { return endpoint }
    let tenant = tenantID.map { "/tenants/" + FormEncoding.escaped($0) } ?? ""
    return endpoint.replacing("{project}", with: FormEncoding.escaped(projectID) + tenant)
  }
}
