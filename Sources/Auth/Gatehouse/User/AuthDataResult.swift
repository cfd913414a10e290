import GatehouseCore

/// The result of a sign-in.
public struct AuthDataResult: Sendable, Hashable {
  /// The signed-in user.
  public let user: User
  /// The details of the sign-in besides the user. Never `nil`; optional because Firebase's property is.
  public let additionalUserInfo: AdditionalUserInfo?
  /// The identity provider's tokens, for a sign-in with one.
  public let credential: AuthCredential?

  init(_ result: SignInResult, _ engine: AuthEngine) {
    user = User(result.session, engine)
    additionalUserInfo = AdditionalUserInfo(result)
    credential = result.details.map { AuthCredential(.identity($0.credential)) }
  }
}

/// The details of a sign-in besides the user.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// The identity provider: `password`, …; `nil` for an anonymous user.
  public let providerID: String?
  /// Whether the sign-in created the account.
  public let isNewUser: Bool
  /// The user's name at the identity provider, from GitHub or X.
  public let username: String?
  private let profileText: Secret?

  /// Everything that the identity provider reported about the user; `nil` if it reported nothing, or nothing readable.
  /// Parsed on each access.
  @_disfavoredOverload
  public var profile: JSONObject? { profileText.flatMap { try? JSONObject(reading: $0.revealed.utf8) } }

  init(_ result: SignInResult) {
    providerID = result.providerID
    isNewUser = result.isNewUser
    username = result.details?.username
    profileText = result.details?.profile
  }
}
