package import GatehouseBase
package import GatehouseQueues

/// One sign-in of one user: the profile, the tokens, and the work in flight for them.
///
/// Work that outlives its session finds it ended and drops what it brings.
@WorkQueue
package final class UserSession {
  /// Names this sign-in, in memory and in the store.
  package nonisolated let id: String
  package nonisolated let uid: String
  package nonisolated let tenantID: String?

  package internal(set) var profile: UserProfile
  package internal(set) var tokens: SessionTokens
  /// Counts the changes that replaced the refresh token; see `StoredSession`.
  package internal(set) var revocations: UInt64
  /// A change that will replace it, of this process or another; see `StoredSession`.
  var pendingRevocation: PendingRevocation?
  /// The last mark that was put here by this process: its own changes need not wait for it.
  var ownMark: PendingRevocation?
  /// The profile that the store held last, as far as this process knows: what differs from it is a change.
  var storedProfile: UserProfile
  /// Rises with every change; what is stored is compared by it.
  package internal(set) var generation: UInt64
  /// Why the session ended; `nil` while it is the engine's current one.
  package internal(set) var ending: AuthError?

  var refreshes = RefreshState()
  let tokenQueue: SerialTaskQueue
  let profileQueue: SerialTaskQueue

  init(_ stored: StoredSession) {
    id = stored.session
    uid = stored.profile.uid
    tenantID = stored.profile.tenantID
    profile = stored.profile
    tokens = stored.tokens
    revocations = stored.revocations
    pendingRevocation = stored.pendingRevocation
    storedProfile = stored.profile
    generation = stored.generation
    tokenQueue = SerialTaskQueue(label: "gatehouse.tokens")
    profileQueue = SerialTaskQueue(label: "gatehouse.profile")
  }

  var stored: StoredSession {
    StoredSession(
      session: id, generation: generation, profile: profile, tokens: tokens, revocations: revocations,
      pendingRevocation: pendingRevocation)
  }

  package func checkLive() throws(AuthError) {
    if let ending { throw ending }
  }
}

extension UserSession: Equatable {
  package nonisolated static func == (one: UserSession, other: UserSession) -> Bool { one === other }
}

extension AuthError {
  static func sessionEnded(_ why: String) -> AuthError { AuthError(.sessionEnded, why) }
}
