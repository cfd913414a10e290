public import GatehouseBase

/// Makes an account: with an address and a password; anonymous, with neither; and with an ID token, links an
/// address and a password to that token's account.
public struct SignUp: Call {
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signUp"

  public var email: String?
  public var password: Secret?
  public var displayName: String?
  public var idToken: Secret?
  public var returnSecureToken = true

  public init(
    email: String? = nil, password: Secret? = nil, displayName: String? = nil, linkingTo idToken: Secret? = nil
  ) {
    self.email = email
    self.password = password
    self.displayName = displayName
    self.idToken = idToken
  }

  public typealias Response = SignInResponse
}
