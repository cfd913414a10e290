public import GatehouseBase

/// Makes recovery codes for an account with second factors. Earlier codes become invalid.
///
/// Specific to Gatehouse: Google's protocol has no such call.
public struct MakeRecoveryCodes: Call {
  /// The path of the call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/gatehouse/v1/accounts:makeRecoveryCodes"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request for codes.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The response: the codes.
  public struct Response: Codable, Sendable, Hashable {
    /// The codes, each of which replaces a second factor in one sign-in.
    public var recoveryCodes: [Secret]

    /// Makes a response with the codes.
    public init(recoveryCodes: [Secret]) { self.recoveryCodes = recoveryCodes }
  }
}
