import GatehouseCore
import GatehouseQueues

extension Auth {
  /// The tenant whose users sign in; `nil` or an empty string for the project's own users. Each tenant has its own
  /// accounts: one address may have an account in each tenant.
  ///
  /// Until it is set, here or in the configuration, it is the tenant of the user whose stored session was restored. A
  /// change applies to later calls, and does not affect the signed-in user. A sign-in whose user belongs to another
  /// tenant throws `.tenantIDMismatch`, and so does `updateCurrentUser(_:)`.
  public var tenantID: String? {
    get { read { engine.tenantIDInternal() } }
    set { workQueue { engine.setTenantIDInternal(newValue) } }
  }
}
