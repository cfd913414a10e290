import GatehouseCore
import GatehouseQueues

extension Auth {
  /// The tenant whose users sign in; `nil` for the project's own users. A tenant has accounts of its own: one address
  /// may have an account in each.
  ///
  /// Until it is set, here or in the configuration, it is the tenant of the user whose stored session was restored. A
  /// change counts for the calls that are made afterwards, and leaves the user who is signed in alone. A sign-in whose
  /// user turns out to belong elsewhere throws `.tenantIDMismatch`, and so does `updateCurrentUser(_:)`.
  public var tenantID: String? {
    get { read { engine.tenantIDInternal() } }
    set { workQueue { engine.setTenantIDInternal(newValue) } }
  }
}
