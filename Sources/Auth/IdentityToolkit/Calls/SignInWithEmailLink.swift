public import GatehouseBase

/// Signs in with the code of a message, or, with an ID token, links the address to that token's account.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithEmailLink
public struct SignInWithEmailLink: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithEmailLink"

  /// The address that the message was sent to.
  public var email: String
  /// The code of the message.
  public var oobCode: Secret
  /// The ID token of the account to link to; `nil` signs in.
  public var idToken: Secret?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether to return tokens: always `true` here.
  public var returnSecureToken = true

  /// Makes a request for a sign-in or a link.
  public init(email: String, oobCode: Secret, linkingTo idToken: Secret? = nil) {
    self.email = email
    self.oobCode = oobCode
    self.idToken = idToken
  }

  /// The response: the user and their tokens.
  public typealias Response = SignInResponse
}
