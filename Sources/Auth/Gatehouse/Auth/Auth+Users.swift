import GatehouseCore
import GatehouseQueues

/// A user whose session the store keeps.
public struct SavedUser: Sendable, Hashable {
  /// The user's identifier.
  public let uid: String
  /// The user's tenant; `nil` for the project itself.
  public let tenantID: String?
  /// The user's address.
  public let email: String?
  /// The user's display name.
  public let displayName: String?
  /// Whether this user is signed in now.
  public let isCurrent: Bool

  init(_ stored: StoredSession, isCurrent: Bool) {
    uid = stored.profile.uid
    tenantID = stored.profile.tenantID
    email = stored.profile.email
    displayName = stored.profile.displayName
    self.isCurrent = isCurrent
  }
}

// With a store that keeps users (`.file(path, keepsUsers: true)`), a sign-in sets the signed-in user aside, and a
// sign-out ends only the current user's session. All of these calls throw `.operationNotAllowed` with a store that
// keeps one user, and the store's error if it fails.
extension Auth {
  /// The users whose sessions the store keeps: the current one first, then the others, most recent first.
  public func savedUsers(timeout: Duration? = nil) async throws -> [SavedUser] {
    try await onWorkQueue { [engine] () throws(AuthError) in
      SavedUser.all(try await engine.savedSessionsInternal(timeout: timeout))
    }
  }

  /// The users whose sessions the store keeps: the current one first, then the others, most recent first.
  public func savedUsers(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<[SavedUser]>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      SavedUser.all(try await engine.savedSessionsInternal(timeout: timeout))
    }
  }

  /// Makes a user whose session the store keeps the current one. The provider is not contacted, and the signed-in user
  /// is set aside. Calls in flight for the signed-in user are awaited first: they may return the only valid token.
  ///
  /// This counts as a sign-in: of two at once, the one started last wins.
  /// - Parameters:
  ///   - uid: the identifier of the user.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Throws: `.userNotFound` if the store keeps no session of this user; `.tenantIDMismatch` if it keeps one of another
  ///   tenant than the one that is set; `.superseded`; the store's error, also about an earlier change that it does not
  ///   have yet.
  @discardableResult
  public func switchUser(toUID uid: String, timeout: Duration? = nil) async throws -> User {
    try await onWorkQueue { [engine] () throws(AuthError) in
      User(try await engine.switchUserInternal(to: uid, timeout: timeout).session, engine)
    }
  }

  /// Makes a user whose session the store keeps the current one.
  public func switchUser(
    toUID uid: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<User>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      User(try await engine.switchUserInternal(to: uid, timeout: timeout).session, engine)
    }
  }

  /// Erases the session of a user other than the current one from the store; an unknown user is not an error. The
  /// provider is not contacted: the refresh token stays valid.
  ///
  /// - Parameters:
  ///   - uid: the identifier of the user.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Throws: `.operationNotAllowed` for the signed-in user; `signOut()` ends that session.
  public func forgetUser(withUID uid: String, timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.forgetUserInternal(uid, timeout: timeout)
    }
  }

  /// Erases the session of a user other than the current one from the store; throws `.operationNotAllowed` for the
  /// current user.
  public func forgetUser(
    withUID uid: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.forgetUserInternal(uid, timeout: timeout)
    }
  }
}

extension SavedUser {
  fileprivate static func all(_ stored: SessionShelf) -> [SavedUser] {
    let current = stored.current.map { [SavedUser($0, isCurrent: true)] } ?? []
    return current + stored.others.map { SavedUser($0, isCurrent: false) }
  }
}
