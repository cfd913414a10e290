public import GatehouseBase

/// Signs in with an address and a password.
public struct SignInWithPassword: Call {
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithPassword"

  public var email: String
  public var password: Secret
  public var returnSecureToken = true

  public init(email: String, password: Secret) {
    self.email = email
    self.password = password
  }

  public typealias Response = SignInResponse
}
