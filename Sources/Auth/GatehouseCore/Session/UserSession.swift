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
  /// When the provider was asked for the profile; see `StoredSession`.
  var profileAsked: ClockReading?
  package internal(set) var tokens: SessionTokens
  /// Counts the changes that replaced the refresh token; see `StoredSession`.
  package internal(set) var revocations: UInt64
  /// A change that will replace it, of this process or another; see `StoredSession`.
  var pendingRevocation: PendingRevocation?
  /// The last mark of this process: its own changes need not wait for it.
  var ownMark: PendingRevocation?
  /// Marks of this process's changes that were not made. After a failure, the store may still hold one.
  private var withdrawnMarks: [PendingRevocation] = []
  /// The version that the store holds, as far as this process knows. What differs from it is not stored yet.
  var known: StoredSession {
    didSet { attempts = [] }
  }
  /// The versions that were sent to the store since then. A store that failed may still have written one.
  private var attempts: [StoredSession] = []
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
    profileAsked = stored.profileAsked
    tokens = stored.tokens
    revocations = stored.revocations
    pendingRevocation = stored.pendingRevocation
    known = stored
    tokenQueue = SerialTaskQueue(label: "gatehouse.tokens")
    profileQueue = SerialTaskQueue(label: "gatehouse.profile")
  }

  /// The version to store next; `nil` when the store is known to have everything.
  var unsaved: StoredSession? {
    var new = known
    if profile != known.profile {
      new.profile = profile
      new.profileAsked = profileAsked
    }
    new.tokens = tokens
    new.revocations = revocations
    new.pendingRevocation = pendingRevocation
    guard new != known || !attempts.isEmpty else { return nil }
    new.generation += 1
    return new
  }

  /// Records a version that is about to be sent to the store.
  func willStore(_ new: StoredSession) { attempts = attempts.suffix(15) + [new] }

  /// Whether this process has written what is stored.
  func hasWritten(_ stored: StoredSession) -> Bool { stored == known || attempts.contains(stored) }

  /// Takes back the mark of a change that was not made.
  func withdraw(_ mark: PendingRevocation) {
    withdrawnMarks = withdrawnMarks.suffix(15) + [mark]
    dropWithdrawnMark()
  }

  func dropWithdrawnMark() {
    if let mark = pendingRevocation, withdrawnMarks.contains(mark) { pendingRevocation = nil }
  }

  /// True of the store while no other `Auth` has changed the session.
  var isUnchanged: StoreCondition { .sessionBefore(id, generation: known.generation + 1) }

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

extension UserSession: nonisolated CustomReflectable {
  /// The user's identifier. `dump` and debuggers read on any thread, and what changes belongs to the work queue.
  package nonisolated var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}
