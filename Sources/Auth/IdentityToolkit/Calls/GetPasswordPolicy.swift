/// Fetches the project's password rules. A GET over HTTP.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/TopLevel/getPasswordPolicy
public struct GetPasswordPolicy: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/passwordPolicy"
  /// `.get`.
  public static let method = CallMethod.get
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// Makes a request for the rules.
  public init() {}

  /// The response: the rules.
  public struct Response: Codable, Sendable, Hashable {
    /// The requirements for a password.
    public var customStrengthOptions: Strength
    /// The characters that count as special.
    public var allowedNonAlphanumericCharacters: [String]?
    /// Whether a weak password is refused (`ENFORCE`) or only reported (`OFF`).
    public var enforcementState: String?
    /// Whether a sign-in with a password that is too weak is refused as well.
    public var forceUpgradeOnSignin: Bool?
    /// The version of this answer's format.
    public var schemaVersion = 1

    /// Makes a response with rules.
    public init(_ strength: Strength) { customStrengthOptions = strength }
  }

  /// The requirements for a password; `nil` members require nothing.
  public struct Strength: Codable, Sendable, Hashable {
    /// The minimum number of characters.
    public var minPasswordLength: Int?
    /// The maximum number of characters.
    public var maxPasswordLength: Int?
    /// Whether a lowercase letter is required.
    public var containsLowercaseCharacter: Bool?
    /// Whether an uppercase letter is required.
    public var containsUppercaseCharacter: Bool?
    /// Whether a digit is required.
    public var containsNumericCharacter: Bool?
    /// Whether a special character is required.
    public var containsNonAlphanumericCharacter: Bool?

    /// Makes requirements that require nothing.
    public init() {}
  }
}
