public import GatehouseBase

/// Makes recovery codes for an account with second factors; those made before are not good any more.
///
/// Gatehouse's own: Google's protocol has no such call.
public struct MakeRecoveryCodes: Call {
  /// The path of the call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/gatehouse/v1/accounts:makeRecoveryCodes"

  /// The ID token of the account's user.
  public var idToken: Secret

  /// Asks for codes.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The codes.
  public struct Response: Codable, Sendable, Hashable {
    /// Each is good for one sign-in instead of a second factor.
    public var recoveryCodes: [Secret]

    /// Answers with the codes.
    public init(recoveryCodes: [Secret]) { self.recoveryCodes = recoveryCodes }
  }
}
