import GatehouseCore

/// What a sign-in came to.
public struct AuthDataResult: Sendable, Hashable {
  public let user: User
  public let additionalUserInfo: AdditionalUserInfo

  init(_ result: SignInResult, _ engine: AuthEngine) {
    user = User(result.session, engine)
    additionalUserInfo = AdditionalUserInfo(providerID: result.providerID, isNewUser: result.isNewUser)
  }
}

/// What a sign-in tells beside the user.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// `password`, …; `nil` for an anonymous user.
  public let providerID: String?
  /// Whether the sign-in made the account.
  public let isNewUser: Bool
}
