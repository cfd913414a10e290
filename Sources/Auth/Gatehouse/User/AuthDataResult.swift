import GatehouseCore

/// The result of a sign-in.
public struct AuthDataResult: Sendable, Hashable {
  /// The signed-in user.
  public let user: User
  /// The details beside the user. Always there; optional because Firebase's is.
  public let additionalUserInfo: AdditionalUserInfo?
  /// The identity provider's tokens, of a sign-in with one.
  public let credential: AuthCredential?

  init(_ result: SignInResult, _ engine: AuthEngine) {
    user = User(result.session, engine)
    additionalUserInfo = AdditionalUserInfo(result)
    credential = result.details.map { AuthCredential(.identity($0.credential)) }
  }
}

/// The details of a sign-in beside the user.
public struct AdditionalUserInfo: Sendable, Hashable {
  /// `password`, …; `nil` for an anonymous user.
  public let providerID: String?
  /// Whether the sign-in made the account.
  public let isNewUser: Bool
  /// The name that the user has at the identity provider: GitHub's, X's.
  public let username: String?
  private let profileText: Secret?

  /// All that the identity provider has told of the user; `nil` where it told nothing, or nothing that can be read.
  /// Parsed each time.
  public var profile: JSONObject? { profileText.flatMap { try? JSONObject(parsing: $0.revealed.utf8) } }

  init(_ result: SignInResult) {
    providerID = result.providerID
    isNewUser = result.isNewUser
    username = result.details?.username
    profileText = result.details?.profile
  }
}
