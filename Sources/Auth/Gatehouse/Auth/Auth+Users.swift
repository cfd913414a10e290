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
  /// The name to show.
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

// With a store that keeps users (`.file(path, keepsUsers: true)`), a sign-in sets the user who was signed in aside, and
// a sign-out ends the current user's session alone. All of these calls throw `.operationNotAllowed` with a store that
// keeps one user, and the store's error when it fails.
extension Auth {
  /// The users whose sessions the store keeps: the current one, and then the others, the latest first.
  public func savedUsers(timeout: Duration? = nil) async throws(AuthError) -> [SavedUser] {
    try await onWorkQueue { [engine] () throws(AuthError) in
      SavedUser.all(try await engine.savedSessionsInternal(timeout: timeout))
    }
  }

  /// The users whose sessions the store keeps: the current one, and then the others, the latest first.
  public func savedUsers(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<[SavedUser]>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      SavedUser.all(try await engine.savedSessionsInternal(timeout: timeout))
    }
  }

  /// Makes a user whose session the store keeps the current one, without a word to the provider; the user who was
  /// signed in is set aside. What is in flight for that user is awaited before: it may bring the only good token.
  ///
  /// It counts as a sign-in: of two at once, the last one that was started wins.
  /// - Parameters:
  ///   - uid: the identifier of the user.
  ///   - timeout: how long to wait; the configuration's `timeouts.call` where there is none.
  /// - Throws: `.userNotFound` when the store keeps no session of this user; `.superseded`.
  @discardableResult
  public func switchUser(toUID uid: String, timeout: Duration? = nil) async throws(AuthError) -> User {
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

  /// Erases the session of a user who is not the current one from the store; a user who is not there is no error. The
  /// provider is not told: its refresh token stays good elsewhere.
  ///
  /// - Parameters:
  ///   - uid: the identifier of the user.
  ///   - timeout: how long to wait; the configuration's `timeouts.call` where there is none.
  /// - Throws: `.operationNotAllowed` for the user who is signed in: `signOut()` ends that session.
  public func forgetUser(withUID uid: String, timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.forgetUserInternal(uid, timeout: timeout)
    }
  }

  /// Erases the session of a user who is not the current one from the store; the current one's is
  /// `.operationNotAllowed`.
  public func forgetUser(
    withUID uid: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.forgetUserInternal(uid, timeout: timeout)
    }
  }
}

extension SavedUser {
  fileprivate static func all(_ stored: (current: StoredSession?, others: [StoredSession])) -> [SavedUser] {
    let current = stored.current.map { [SavedUser($0, isCurrent: true)] } ?? []
    return current + stored.others.map { SavedUser($0, isCurrent: false) }
  }
}
