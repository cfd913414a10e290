import GatehouseBase
import IdentityToolkit

/// A tenant of the project: it has users of its own.
public struct Tenant: Sendable, Hashable {
  /// Names the tenant for `AdminAuth.auth(forTenant:)` and in tokens.
  public let tenantID: String
  /// How it behaves.
  public let settings: TenantSettings

  init(_ json: JSONObject) throws(AuthError) {
    tenantID = try json.resourceID()
    settings = TenantSettings(json)
  }
}

/// How a tenant behaves. What is not set is switched off.
public struct TenantSettings: Sendable, Hashable {
  /// The name to show to administrators.
  public var displayName: String?
  /// Whether users sign up and in with a password.
  public var allowsPasswordSignUp = false
  /// Whether users sign in by a link that is sent to their address.
  public var enablesEmailLinkSignIn = false
  /// Whether users sign in without telling who they are.
  public var enablesAnonymousSignIn = false
  /// Whether no user signs in: only administrators' calls are answered.
  public var isDisabled = false
  /// Phone numbers that get no message, with the code of each.
  public var testPhoneNumbers: [String: String] = [:]

  /// A tenant with every way to sign in switched off.
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
  }

  /// As the protocol has them.
  var json: JSONObject {
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
    return json
  }

  /// What `json` says: a member that it leaves out is removed.
  static let mask = [
    "displayName", "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth",
    "testPhoneNumbers",
  ]
}

/// Some of a project's tenants.
public struct TenantPage: Sendable, Hashable {
  /// The tenants, in the order of the project.
  public let tenants: [Tenant]
  /// Names the next page; `nil` behind the last one.
  public let nextPageToken: String?
}
