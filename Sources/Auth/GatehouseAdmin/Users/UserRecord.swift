public import FoundationEssentials
public import GatehouseBase
import IdentityToolkit

/// A user as an administrator sees them: a value, as the project told it when it was asked.
public struct UserRecord: Sendable, Hashable {
  /// The user's identifier.
  public let uid: String
  /// The user's address.
  public let email: String?
  /// Whether the address is known to be the user's.
  public let isEmailVerified: Bool
  /// The name to show.
  public let displayName: String?
  /// The picture's address.
  public let photoURL: String?
  /// The phone number, as E.164 writes it.
  public let phoneNumber: String?
  /// Whether the user may not sign in.
  public let isDisabled: Bool
  /// The tenant that the user belongs to; `nil` for the project itself.
  public let tenantID: String?
  /// What ID tokens say of the user, by an administrator's word.
  public let customClaims: JSONObject
  /// Tokens of sign-ins before this moment are revoked; `nil` where the project does not say.
  public let tokensValidAfter: Date?
  /// When the account was made.
  public let creationDate: Date?
  /// When the user last signed in; `nil` before the first time.
  public let lastSignInDate: Date?
  /// One entry for each way to sign in that the account has.
  public let providerData: [ProviderProfile]
  /// The account's second factors.
  public let secondFactors: [SecondFactor]

  init(_ account: Account) {
    let profile = account.profile
    uid = profile.uid
    email = profile.email
    isEmailVerified = profile.isEmailVerified
    displayName = profile.displayName
    photoURL = profile.photoURL
    phoneNumber = profile.phoneNumber
    isDisabled = account.disabled ?? false
    tenantID = profile.tenantID
    // Text that is not an object says nothing of the user.
    customClaims = account.customAttributes.flatMap { try? JSONObject(parsing: $0.utf8) } ?? [:]
    tokensValidAfter = account.validSince.map { Date(wall: Double($0.value)) }
    creationDate = profile.creationSeconds.map(Date.init(wall:))
    lastSignInDate = account.lastLoginAt?.value == 0 ? nil : profile.lastSignInSeconds.map(Date.init(wall:))
    providerData = profile.providers
    secondFactors = profile.secondFactors ?? []
  }
}
