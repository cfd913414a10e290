/// A tenant: a part of the project with its own accounts. One address may have an account in each tenant.
public struct TenantRecord: Sendable, Hashable {
  /// The tenant's identifier, for `Auth.tenantID` and in tokens (`firebase.tenant`).
  public let id: String
  /// The name shown to administrators.
  public let displayName: String?
  /// The creation time, in milliseconds since 1970.
  public let createdAt: Int64
}
