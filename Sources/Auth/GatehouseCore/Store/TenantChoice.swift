import GatehouseBase

/// The tenant that an app has chosen; none if it takes the tenant of its users.
enum TenantChoice: Sendable {
  case any
  /// Users of this tenant only; `nil` for the project itself.
  case only(String?)

  /// - Parameter configured: the tenant of the configuration. An empty name is the same as none, as in the protocol.
  init(_ configured: String?) {
    self = configured.map { .only($0.isEmpty ? nil : $0) } ?? .any
  }

  /// Whether the user of a stored session may become the current one.
  func admits(_ stored: StoredSession) -> Bool { admits(stored.profile.tenantID) }

  /// Whether users of a tenant may become the current one.
  func admits(_ tenantID: String?) -> Bool {
    guard case .only(let chosen) = self else { return true }
    return chosen.isExactly(tenantID)
  }
}

extension AuthError {
  /// The error of an `Auth` whose store holds the session of another tenant's user.
  static func ofOtherTenant(_ stored: StoredSession) -> AuthError {
    let tenant = stored.profile.tenantID.map { "the tenant \($0.printable())" } ?? "the project, and of no tenant"
    return AuthError(
      .tenantIDMismatch,
      "the stored user is one of \(tenant), and this Auth is for another; it was left alone; sign in, or set tenantID")
  }
}
