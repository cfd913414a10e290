/// A tenant: a part of the project with accounts of its own. One address may have an account in each.
public struct TenantRecord: Sendable, Hashable {
  /// Names the tenant for `Auth.tenantID`, and in tokens (`firebase.tenant`).
  public let id: String
  /// The name to show to administrators.
  public let displayName: String?
  /// When it was made, in milliseconds since 1970.
  public let createdAt: Int64
}
