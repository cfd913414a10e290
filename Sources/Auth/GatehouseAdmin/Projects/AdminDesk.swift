import GatehouseBase
import IdentityToolkit

/// Carries out an administrator's calls on background threads, for the whole project or for one tenant.
struct AdminDesk: Sendable {
  let backend: any Backend
  let project: any AdminProject
  let clocks: any Clocks
  /// The tenant; `nil` for the project itself.
  var tenantID: String?

  /// Makes a call about the accounts of `tenantID`, unless the call names a tenant itself.
  func answer<C: AdminCall>(_ call: C) async throws(AuthError) -> C.Response {
    var call = call
    call.tenantId = call.tenantId ?? tenantID
    do throws(AuthError) { return try await backend.answer(call) } catch {
      guard error.serverWord == .userNotFound, error.serverDetail == nil else { throw error }
      throw noSuchUser
    }
  }

  /// The error for a missing user. The protocol's message addresses an app whose own user is gone and who would sign in
  /// again, but an administrator has no session.
  var noSuchUser: AuthError {
    AuthError(
      .userNotFound, "the \(tenantID == nil ? "project" : "tenant") has no such user", server: .userNotFound)
  }
}
