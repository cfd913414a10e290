public import Foundation
public import Gatehouse
import GatehouseBase

/// The account of a user at a provider, or the user itself, under Firebase's name.
public protocol UserInfo: Sendable {
  /// `password`, `google.com`, …; `Firebase` for a `User`.
  var providerID: String { get }
  /// The user's identifier at the provider; for `password`, the email address.
  var uid: String { get }
  /// The display name.
  var displayName: String? { get }
  /// The picture's URL.
  var photoURL: URL? { get }
  /// The email address.
  var email: String? { get }
  /// The phone number.
  var phoneNumber: String? { get }
}

extension User: UserInfo {}

/// An entry of `User.providerData`.
private struct ProviderUserInfo: UserInfo {
  let profile: ProviderProfile

  var providerID: String { profile.providerID }
  var uid: String { profile.uid }
  var displayName: String? { profile.displayName }
  var photoURL: URL? { profile.photoURL.flatMap { URL(string: $0) } }
  var email: String? { profile.email }
  var phoneNumber: String? { profile.phoneNumber }
}

extension User {
  /// One entry for each way to sign in that the account has. `profile.providers` has them as Gatehouse's own values.
  public var providerData: [any UserInfo] { profile.providers.map(ProviderUserInfo.init) }
}
