public import GatehouseBase
import IdentityToolkit

/// What is to change about a user. A member that is `nil` changes nothing.
public struct UpdateUserRequest: Sendable, Hashable {
  /// What can be taken from a user.
  public enum Field: Sendable, Hashable {
    /// The name to show.
    case displayName
    /// The picture's address.
    case photoURL
    /// The phone number, and with it the sign-in by phone.
    case phoneNumber
  }

  /// The new address; it ends the user's sessions.
  public var email: String?
  /// Whether the address is known to be the user's.
  public var isEmailVerified: Bool?
  /// The new password; it ends the user's sessions.
  public var password: Secret?
  /// The new name to show.
  public var displayName: String?
  /// The new picture's address.
  public var photoURL: String?
  /// The new phone number, as E.164 writes it.
  public var phoneNumber: String?
  /// Whether the user may no longer sign in.
  public var isDisabled: Bool?
  /// What is taken from the user; it wins over a new value.
  public var removedFields: Set<Field> = []
  /// Identity providers whose users sign in to the account no more.
  public var providersToUnlink: [String] = []
  /// An identity provider's user who signs in to the account from now on.
  public var providerToLink: ProviderProfile?
  /// All second factors that the user is to have: one that is not among them is removed, and an empty array removes
  /// all.
  public var secondFactors: [SecondFactorRequest]?

  /// Changes nothing yet.
  public init() {}

  func call(uid: String) -> UpdateAccount {
    var call = UpdateAccount(localId: uid)
    call.email = email
    call.emailVerified = isEmailVerified
    call.password = password
    call.displayName = removedFields.contains(.displayName) ? nil : displayName
    call.photoUrl = removedFields.contains(.photoURL) ? nil : photoURL
    call.phoneNumber = removedFields.contains(.phoneNumber) ? nil : phoneNumber
    call.disableUser = isDisabled
    var attributes: [Update.Attribute] = []
    if removedFields.contains(.displayName) { attributes.append(.displayName) }
    if removedFields.contains(.photoURL) { attributes.append(.photoURL) }
    call.deleteAttribute = attributes.isEmpty ? nil : attributes
    let providers = providersToUnlink + (removedFields.contains(.phoneNumber) ? ["phone"] : [])
    call.deleteProvider = providers.isEmpty ? nil : providers
    call.linkProviderUserInfo = providerToLink.map(Account.ProviderUserInfo.init)
    call.mfa = secondFactors.map { UpdateAccount.Factors(enrollments: $0.mfaInfo) }
    return call
  }
}

extension Account.ProviderUserInfo {
  init(_ profile: ProviderProfile) {
    self.init(providerId: profile.providerID)
    rawId = profile.uid
    email = profile.email
    displayName = profile.displayName
    photoUrl = profile.photoURL
    phoneNumber = profile.phoneNumber
  }
}
