import GatehouseCore

/// The result of a sign-in.
public struct AuthDataResult: Sendable, Hashable {
  /// The signed-in user.
  public let user: User
  /// The details beside the user.
  public let additionalUserInfo: AdditionalUserInfo

  init(_ result: SignInResult, _ engine: AuthEngine) {
    user = User(result.session, engine)
    additionalUserInfo = AdditionalUserInfo(providerID: result.providerID, isNewUser: result.isNewUser)
  }
}

/// The details of a sign-in beside the user.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// `password`, …; `nil` for an anonymous user.
  public let providerID: String?
  /// Whether the sign-in made the account.
  public let isNewUser: Bool
}
