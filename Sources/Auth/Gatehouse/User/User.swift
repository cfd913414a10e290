public import Foundation
import GatehouseCore
import GatehouseQueues

/// A user in one session of one `Auth`: a handle, to be kept and passed between threads at will.
///
/// Its properties tell what is known now, and after the session has ended what was known last. Calls on a user whose
/// session has ended throw why it ended. Two handles are equal when `Auth`, identifier and session are the same.
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

  /// The user's identifier, at most 128 characters; never changes.
  public var uid: String { session.uid }
  /// `Firebase`, as Firebase's users say of themselves.
  public var providerID: String { "Firebase" }
  /// The tenant that the user belongs to, in a project that has tenants.
  public var tenantID: String? { session.tenantID }

  /// The user's address; `nil` for an anonymous user.
  public var email: String? { profile.email }
  /// The name to show.
  public var displayName: String? { profile.displayName }
  /// The picture's address; `nil` as well where the provider gave what is no URL. `profile.photoURL` is the text.
  public var photoURL: URL? { profile.photoURL.flatMap { URL(string: $0) } }
  /// The user's phone number.
  public var phoneNumber: String? { profile.phoneNumber }
  /// Whether the account has no way to sign in again.
  public var isAnonymous: Bool { profile.isAnonymous }
  /// Whether the provider has verified that the address is the user's.
  public var isEmailVerified: Bool { profile.isEmailVerified }
  /// One entry for each way to sign in that the account has.
  public var providerData: [ProviderProfile] { profile.providers }
  /// When the account was made and last used.
  public var metadata: UserMetadata { UserMetadata(profile) }
  /// The refresh token, which buys ID tokens; `nil` after the session has ended.
  public var refreshToken: String? { read { engine.refreshTokenInternal(session) }?.revealed }

  /// All that is known of the user, read at one moment.
  public var profile: UserProfile { read { engine.profileInternal(session) } }

  /// Whether both are the same session of the same `Auth`.
  public static func == (one: User, other: User) -> Bool {
    one.session === other.session && one.engine === other.engine
  }

  /// Hashes the session.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(session)) }
}

extension User: CustomStringConvertible {
  /// `User(UID)`: no address and no name, so that it may be logged.
  public var description: String { "User(\(uid))" }
}

/// When an account was made and last used.
public struct UserMetadata: Sendable, Hashable {
  /// When the account was made; `nil` where the provider does not say.
  public let creationDate: Date?
  /// When the user last signed in; `nil` where the provider does not say.
  public let lastSignInDate: Date?

  init(_ profile: UserProfile) {
    creationDate = profile.creationDate
    lastSignInDate = profile.lastSignInDate
  }
}
