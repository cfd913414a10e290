public import GatehouseBase

/// Creates an account with an address and a password, or an anonymous one without both. With an ID token, links an
/// address and a password to that token's account instead.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signUp
public struct SignUp: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signUp"

  /// The address to sign in with; `nil` for an anonymous account.
  public var email: String?
  /// The password to sign in with; `nil` for an anonymous account.
  public var password: Secret?
  /// The user's display name.
  public var displayName: String?
  /// The ID token of the account to link to; `nil` creates an account.
  public var idToken: Secret?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether to return tokens: always `true` here.
  public var returnSecureToken = true

  /// Makes a request for a new account or a link.
  ///
  /// - Parameters:
  ///   - email: the account's address; `nil` for an anonymous account.
  ///   - password: the account's password; `nil` for an anonymous account.
  ///   - displayName: the user's name.
  ///   - idToken: the ID token of the account to link to; `nil` creates an account.
  public init(
    email: String? = nil, password: Secret? = nil, displayName: String? = nil, linkingTo idToken: Secret? = nil
  ) {
    self.email = email
    self.password = password
    self.displayName = displayName
    self.idToken = idToken
  }

  /// The response: the user and their tokens.
  public typealias Response = SignInResponse
}
