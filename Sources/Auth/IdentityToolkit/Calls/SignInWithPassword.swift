public import GatehouseBase

/// Signs in with an address and a password.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPassword
public struct SignInWithPassword: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithPassword"

  /// The user's address.
  public var email: String
  /// The user's password.
  public var password: Secret
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether to return tokens: always `true` here.
  public var returnSecureToken = true

  /// Makes a request for a sign-in.
  public init(email: String, password: Secret) {
    self.email = email
    self.password = password
  }

  /// The response: the user and their tokens.
  public typealias Response = SignInResponse
}
