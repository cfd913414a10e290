import GatehouseBase
import IdentityToolkit

/// Carries out an administrator's calls, on background threads: for the whole project, or for one tenant.
struct AdminDesk: Sendable {
  let backend: any Backend
  let project: any AdminProject
  let clocks: any Clocks
  /// `nil` for the project itself.
  var tenantID: String?

  /// Makes a call about the desk's own accounts, unless it names a tenant itself.
  func answer<C: AdminCall>(_ call: C) async throws(AuthError) -> C.Response {
    var call = call
    call.tenantId = call.tenantId ?? tenantID
    return try await backend.answer(call)
  }
}
