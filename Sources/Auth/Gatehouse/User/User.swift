public import Foundation
import GatehouseCore
import GatehouseQueues

/// A user in one session of one `Auth`. This is a handle that may be kept and passed between threads.
///
/// Its properties return what is known now or, after the session has ended, what was known last. Calls on a user whose
/// session has ended throw the reason why it ended. Two handles are equal if they belong to the same session of the
/// same `Auth`.
///
///     the session was ended by                              calls throw
///     `signOut()` of this `Auth`, or `delete()`             `.nullUser`
///     a sign-in of this `Auth`, or another program          `.sessionEnded`
///     the provider                                          its reason: `.userDisabled`, `.userTokenExpired`, …
///     `close()`                                             `.closed`
public struct User: Sendable, Hashable {
  let session: UserSession
  let engine: AuthEngine

  init(_ session: UserSession, _ engine: AuthEngine) {
    self.session = session
    self.engine = engine
  }

  /// The user's identifier, at most 128 characters; it never changes.
  public var uid: String { session.uid }
  /// `Firebase`, the value of this property in Firebase's SDKs.
  public var providerID: String { "Firebase" }
  /// The tenant that the user belongs to, in a project that has tenants.
  public var tenantID: String? { session.tenantID }

  /// The user's address; `nil` for an anonymous user.
  public var email: String? { profile.email }
  /// The user's display name.
  public var displayName: String? { profile.displayName }
  /// The picture's URL; also `nil` if the provider's text is not a URL. `profile.photoURL` is that text.
  public var photoURL: URL? { profile.photoURL.flatMap { URL(string: $0) } }
  /// The user's phone number.
  public var phoneNumber: String? { profile.phoneNumber }
  /// Whether the account has no way to sign in again.
  public var isAnonymous: Bool { profile.isAnonymous }
  /// Whether the provider has verified that the address is the user's.
  public var isEmailVerified: Bool { profile.isEmailVerified }
  /// One entry for each way to sign in that the account has.
  @_disfavoredOverload public var providerData: [ProviderProfile] { profile.providers }
  /// The dates of the account's creation and last use.
  public var metadata: UserMetadata { UserMetadata(profile) }
  /// The refresh token, which is exchanged for ID tokens; `nil` after the session has ended.
  public var refreshToken: String? { read { engine.refreshTokenInternal(session) }?.revealed }

  /// Everything that is known about the user, read at one moment.
  public var profile: UserProfile { read { engine.profileInternal(session) } }

  /// Whether both are the same session of the same `Auth`.
  public static func == (one: User, other: User) -> Bool {
    one.session === other.session && one.engine === other.engine
  }

  /// Hashes the session.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(session)) }
}

extension User: CustomStringConvertible {
  /// `User(UID)`, without the address and the name, so that it may be logged.
  public var description: String { "User(\(uid))" }
}

/// The dates of an account's creation and last use.
public struct UserMetadata: Sendable, Hashable {
  /// The date of the account's creation; `nil` if the provider does not report it.
  public let creationDate: Date?
  /// The date of the last sign-in; `nil` if the provider does not report it.
  public let lastSignInDate: Date?

  init(_ profile: UserProfile) {
    creationDate = profile.creationDate
    lastSignInDate = profile.lastSignInDate
  }
}
