import GatehouseBase
import IdentityToolkit

extension RoutedRequest {
  /// Refuses a request that names two tenants: in its path, in its query, and in the members of a call. What is not
  /// read counts too, because its sender means it. An empty name is like none.
  ///
  /// - Parameter member: the member of the call with the tenant, if it has one.
  func requireOneTenant(_ member: JSONValue? = nil) throws(AuthError) {
    let member = (member?.string ?? member?.number?.text).flatMap { $0.isEmpty ? nil : $0 }
    let named = [parameters["tenantId"], parameters["tenant"], member].compactMap(\.self)
    let inQuery = query.filter { ["tenantId", "tenant_id"].contains($0.name) && !$0.value.isEmpty }.map(\.value)
    guard (named + inQuery).allSatisfy({ named.first?.isExactly($0) == true }) else {
      throw AuthError(server: .tenantIDMismatch)
    }
  }
}
