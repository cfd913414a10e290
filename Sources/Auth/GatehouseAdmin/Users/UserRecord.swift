public import FoundationEssentials
public import GatehouseBase
import IdentityToolkit

/// A user as an administrator sees them: a value, as the project reported it when it was asked.
public struct UserRecord: Sendable, Hashable {
  /// The user's identifier.
  public let uid: String
  /// The user's address.
  public let email: String?
  /// Whether the address is verified.
  public let isEmailVerified: Bool
  /// The user's display name.
  public let displayName: String?
  /// The picture's address.
  public let photoURL: String?
  /// The phone number in E.164 form.
  public let phoneNumber: String?
  /// Whether the account is disabled.
  public let isDisabled: Bool
  /// The tenant that the user belongs to; `nil` for the project itself.
  public let tenantID: String?
  /// The custom claims of the user's ID tokens.
  public let customClaims: JSONObject
  /// The time before which sign-ins are revoked; `nil` if the project does not report it.
  public let tokensValidAfter: Date?
  /// The date of the account's creation.
  public let creationDate: Date?
  /// The date of the last sign-in; `nil` before the first one.
  public let lastSignInDate: Date?
  /// The date at which the user last got an ID token, by a sign-in or a refresh; `nil` before the first one.
  /// Gatehouse's provider records it once an hour.
  public let lastRefreshDate: Date?
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
    // Text that is not an object counts as no claims.
    customClaims = account.customAttributes.flatMap { try? JSONObject(reading: $0.utf8) } ?? [:]
    tokensValidAfter = account.validSince.map { Date(wall: Double($0.value)) }
    creationDate = profile.creationSeconds.map(Date.init(wall:))
    lastSignInDate = account.lastLoginAt?.value == 0 ? nil : profile.lastSignInSeconds.map(Date.init(wall:))
    lastRefreshDate = account.lastRefreshAt.flatMap { text in
      let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
      return styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
    }
    providerData = profile.providers
    secondFactors = profile.secondFactors ?? []
  }
}
