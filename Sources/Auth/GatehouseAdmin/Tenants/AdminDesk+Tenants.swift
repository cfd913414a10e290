import GatehouseBase
import IdentityToolkit

extension AdminDesk {
  func createTenant(_ settings: TenantSettings) async throws(AuthError) -> Tenant {
    try Tenant(try await answer(CreateResource(.tenant, settings.json())).json)
  }

  func tenant(_ id: String) async throws(AuthError) -> Tenant {
    try id.requireIdentifier()
    return try Tenant(try await answer(ReadResource(.tenant, id)).json)
  }

  func tenants(_ maxResults: Int, _ pageToken: String?) async throws(AuthError) -> TenantPage {
    let page = try await page(of: .tenant, maxResults, pageToken)
    return TenantPage(
      tenants: try page.documents.map { json throws(AuthError) in try Tenant(json) },
      nextPageToken: page.nextPageToken)
  }

  func updateTenant(_ id: String, _ settings: TenantSettings) async throws(AuthError) -> Tenant {
    try id.requireIdentifier()
    let call = UpdateResource(.tenant, id, try settings.json(), mask: TenantSettings.mask)
    return try Tenant(try await answer(call).json)
  }

  func deleteTenant(_ id: String) async throws(AuthError) {
    try id.requireIdentifier()
    _ = try await answer(DeleteResource(.tenant, id))
  }
}
