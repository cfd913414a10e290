import GatehouseBase

/// A tenant: a part of the project with accounts of its own. One address may have an account in each.
public struct TenantRecord: Sendable, Hashable {
  /// Names the tenant for `Auth.tenantID`, and in tokens (`firebase.tenant`).
  public let id: String
  /// The name to show to administrators.
  public let displayName: String?
  /// When it was made, in milliseconds since 1970.
  public let createdAt: Int64

  /// - Throws: `.invalidArgument` unless the identifier has 1 to 64 letters of ASCII, digits and hyphens.
  static func checkID(_ id: String) throws(AuthError) {
    let isUsable =
      (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || byte == UInt8(ascii: "-")
      }
    guard isUsable else {
      throw AuthError(
        .invalidArgument, "a tenant's identifier has 1 to 64 letters (a-z, A-Z), digits and hyphens",
        serverCode: "INVALID_TENANT_ID")
    }
  }
}
