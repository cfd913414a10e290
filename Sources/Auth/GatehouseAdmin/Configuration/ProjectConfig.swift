import GatehouseBase

/// The configuration of a project. Members that were never set are `nil`.
public struct ProjectConfig: Sendable, Hashable {
  /// The regions that text messages may be sent to.
  public let smsRegionConfig: SMSRegionConfig?
  /// The second factors that users may enroll.
  public let multiFactorConfig: MultiFactorConfig?
  /// The policy for new passwords.
  public let passwordPolicyConfig: PasswordPolicyConfig?
  /// The protection against finding out which addresses have accounts.
  public let emailPrivacyConfig: EmailPrivacyConfig?

  init(_ json: JSONObject) {
    smsRegionConfig = SMSRegionConfig(json["smsRegionConfig"])
    multiFactorConfig = MultiFactorConfig(json["mfa"])
    passwordPolicyConfig = PasswordPolicyConfig(json["passwordPolicyConfig"])
    emailPrivacyConfig = EmailPrivacyConfig(json["emailPrivacyConfig"])
  }
}

/// A change of a project's configuration. Members that are `nil` stay unchanged.
public struct UpdateProjectConfigRequest: Sendable, Hashable {
  /// The regions that text messages may be sent to.
  public var smsRegionConfig: SMSRegionConfig?
  /// The second factors that users may enroll.
  public var multiFactorConfig: MultiFactorConfig?
  /// The policy for new passwords.
  public var passwordPolicyConfig: PasswordPolicyConfig?
  /// The protection against finding out which addresses have accounts.
  public var emailPrivacyConfig: EmailPrivacyConfig?

  /// Makes a request that changes nothing until its members are set.
  public init() {}

  /// The change in the protocol's form.
  func json() throws(AuthError) -> JSONObject {
    var json: JSONObject = [:]
    json["smsRegionConfig"] = smsRegionConfig?.json
    json["mfa"] = try multiFactorConfig?.json()
    json["passwordPolicyConfig"] = try passwordPolicyConfig?.json()
    json["emailPrivacyConfig"] = emailPrivacyConfig?.json
    return json
  }
}
