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
    generation = stored.generation
    tokenQueue = SerialTaskQueue(label: "gatehouse.tokens")
    profileQueue = SerialTaskQueue(label: "gatehouse.profile")
  }

  var stored: StoredSession {
    StoredSession(session: id, generation: generation, profile: profile, tokens: tokens)
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
