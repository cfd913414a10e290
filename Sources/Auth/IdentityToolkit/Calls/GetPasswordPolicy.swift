/// Asks for the project's rules for passwords. Over HTTP a GET.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/TopLevel/getPasswordPolicy
public struct GetPasswordPolicy: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/passwordPolicy"
  /// A question.
  public static let method = CallMethod.get
  /// It only asks.
  public static let isReadOnly = true

  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// Asks for the rules.
  public init() {}

  /// The rules.
  public struct Response: Codable, Sendable, Hashable {
    /// What a password must have.
    public var customStrengthOptions: Strength
    /// The characters that count as special.
    public var allowedNonAlphanumericCharacters: [String]?
    /// Whether a weak password is refused (`ENFORCE`) or only told of (`OFF`).
    public var enforcementState: String?
    /// Whether a sign-in with a password that is too weak is refused as well.
    public var forceUpgradeOnSignin: Bool?
    /// The form of this answer.
    public var schemaVersion = 1

    /// Answers with rules.
    public init(_ strength: Strength) { customStrengthOptions = strength }
  }

  /// What a password must have; `nil` asks for nothing.
  public struct Strength: Codable, Sendable, Hashable {
    /// The fewest characters.
    public var minPasswordLength: Int?
    /// The most characters.
    public var maxPasswordLength: Int?
    /// Whether a lower-case letter is needed.
    public var containsLowercaseCharacter: Bool?
    /// Whether an upper-case letter is needed.
    public var containsUppercaseCharacter: Bool?
    /// Whether a digit is needed.
    public var containsNumericCharacter: Bool?
    /// Whether a special character is needed.
    public var containsNonAlphanumericCharacter: Bool?

    /// Asks for nothing.
    public init() {}
  }
}
