import GatehouseBase

/// The protection against finding out which addresses have accounts.
///
/// Source: https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.emailprivacyconfig
public struct EmailPrivacyConfig: Sendable, Hashable {
  /// Whether responses do not reveal if an address has an account.
  public var enableImprovedEmailPrivacy: Bool

  /// Makes a configuration that enables or disables the protection.
  public init(enableImprovedEmailPrivacy: Bool) { self.enableImprovedEmailPrivacy = enableImprovedEmailPrivacy }

  init?(_ json: JSONValue?) {
    guard let json = json?.object else { return nil }
    enableImprovedEmailPrivacy = json["enableImprovedEmailPrivacy"]?.bool ?? false
  }

  /// The configuration in the protocol's form.
  var json: JSONValue { ["enableImprovedEmailPrivacy": .bool(enableImprovedEmailPrivacy)] }
}
