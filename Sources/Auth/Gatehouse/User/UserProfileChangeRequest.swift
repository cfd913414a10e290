public import Foundation
import GatehouseBase
import GatehouseCore
import GatehouseQueues

/// A change of a user's name or picture: set the properties to change, then commit, once. Properties that are not set
/// are not changed.
public final class UserProfileChangeRequest: Sendable {
  private struct Changes: Sendable {
    var displayName: String??
    var photoURL: String??
    var isCommitted = false
  }

  let user: User
  private let changes = Lock(Changes())

  init(_ user: User) { self.user = user }

  /// The new name; `nil` removes the name. Reading returns the value set here, otherwise the user's current name.
  public var displayName: String? {
    get { changes.withLock { $0.displayName } ?? user.displayName }
    set { changes.withLock { $0.displayName = .some(newValue) } }
  }

  /// The picture's new URL; `nil` removes the picture. Reading returns the value set here, otherwise the user's current
  /// URL.
  public var photoURL: URL? {
    get { changes.withLock { $0.photoURL }.map { $0.flatMap { URL(string: $0) } } ?? user.photoURL }
    set { changes.withLock { $0.photoURL = .some(newValue?.absoluteString) } }
  }

  /// Makes the change, after the user's earlier changes.
  ///
  /// - Throws: `.invalidArgument` the second time; the provider's errors.
  public func commitChanges(timeout: Duration? = nil) async throws {
    let changes = try take()
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.updateProfileInternal(
        user.session, displayName: changes.displayName, photoURL: changes.photoURL, timeout: timeout)
    }
  }

  /// Makes the change, after the user's earlier changes.
  @_disfavoredOverload
  public func commitChanges(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    let taken = Result { () throws(AuthError) in try take() }
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      let changes = try taken.typed()
      try await user.engine.updateProfileInternal(
        user.session, displayName: changes.displayName, photoURL: changes.photoURL, timeout: timeout)
    }
  }

  private func take() throws(AuthError) -> Changes {
    try changes.withLock { (changes) throws(AuthError) in
      guard !changes.isCommitted else {
        throw AuthError(.invalidArgument, "this change was committed before; make a new request")
      }
      changes.isCommitted = true
      return changes
    }
  }
}
