import GatehouseBase
import IdentityToolkit

/// A tenant of the project, with its own users.
public struct Tenant: Sendable, Hashable {
  /// The tenant's identifier, for `AdminAuth.auth(forTenant:)` and in tokens.
  public let tenantID: String
  /// The tenant's settings.
  public let settings: TenantSettings

  init(_ json: JSONObject) throws(AuthError) {
    tenantID = try json.resourceID()
    settings = TenantSettings(json)
  }
}

/// The settings of a tenant. Everything that is not set is disabled.
public struct TenantSettings: Sendable, Hashable {
  /// The name shown to administrators.
  public var displayName: String?
  /// Whether users can sign up and sign in with a password.
  public var allowsPasswordSignUp = false
  /// Whether users can sign in with a link that is sent to their address.
  public var enablesEmailLinkSignIn = false
  /// Whether users can sign in anonymously.
  public var enablesAnonymousSignIn = false
  /// Whether sign-in is disabled for all users: only administrators' calls are answered.
  public var isDisabled = false
  /// Phone numbers that receive no message, each with its fixed code.
  public var testPhoneNumbers: [String: String] = [:]
  /// The second factors that the tenant's users may enroll; `nil` for those of the project's configuration.
  public var multiFactorConfig: MultiFactorConfig?
  /// The regions that text messages may be sent to.
  public var smsRegionConfig: SMSRegionConfig?
  /// The requirements for the passwords of the tenant's users; `nil` for those of the project's configuration.
  public var passwordPolicyConfig: PasswordPolicyConfig?

  /// Makes settings with every way to sign in disabled.
  public init(displayName: String? = nil) { self.displayName = displayName }

  init(_ json: JSONObject) {
    displayName = json["displayName"]?.string
    allowsPasswordSignUp = json["allowPasswordSignup"]?.bool ?? false
    enablesEmailLinkSignIn = json["enableEmailLinkSignin"]?.bool ?? false
    enablesAnonymousSignIn = json["enableAnonymousUser"]?.bool ?? false
    isDisabled = json["disableAuth"]?.bool ?? false
    for number in json["testPhoneNumbers"]?.object?.members ?? [] {
      testPhoneNumbers[number.name] = number.value.string
    }
    multiFactorConfig = MultiFactorConfig(json["mfaConfig"])
    smsRegionConfig = SMSRegionConfig(json["smsRegionConfig"])
    passwordPolicyConfig = PasswordPolicyConfig(json["passwordPolicyConfig"])
  }

  /// The settings in the protocol's form.
  func json() throws(AuthError) -> JSONObject {
    var json: JSONObject = [
      "allowPasswordSignup": .bool(allowsPasswordSignUp), "enableEmailLinkSignin": .bool(enablesEmailLinkSignIn),
      "enableAnonymousUser": .bool(enablesAnonymousSignIn), "disableAuth": .bool(isDisabled),
    ]
    json["displayName"] = displayName.map(JSONValue.string)
    if !testPhoneNumbers.isEmpty {
      var numbers: JSONObject = [:]
      for (number, code) in testPhoneNumbers.sorted(by: { $0.key < $1.key }) { numbers[number] = .string(code) }
      json["testPhoneNumbers"] = .object(numbers)
    }
    json["mfaConfig"] = try multiFactorConfig?.json()
    json["smsRegionConfig"] = smsRegionConfig?.json
    json["passwordPolicyConfig"] = try passwordPolicyConfig?.json()
    return json
  }

  /// The fields that `json` sets: a field that it leaves out is removed.
  static let mask = [
    "displayName", "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth",
    "testPhoneNumbers", "mfaConfig", "smsRegionConfig", "passwordPolicyConfig",
  ]
}

/// A page of a project's tenants.
public struct TenantPage: Sendable, Hashable {
  /// The tenants, in the project's order.
  public let tenants: [Tenant]
  /// The token of the next page; `nil` after the last one.
  public let nextPageToken: String?
}
