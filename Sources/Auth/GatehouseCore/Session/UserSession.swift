package import GatehouseBase
package import GatehouseQueues

/// One sign-in of one user: the profile, the tokens, and the work in flight for them.
///
/// Work that outlives its session finds the session ended and drops its result.
@WorkQueue
package final class UserSession {
  /// The identifier of this sign-in, in memory and in the store.
  package nonisolated let id: String
  package nonisolated let uid: String
  package nonisolated let tenantID: String?

  package internal(set) var profile: UserProfile
  /// The time at which the profile was requested; see `StoredSession`.
  var profileAsked: ClockReading?
  package internal(set) var tokens: SessionTokens
  /// The rotation of the refresh token; see `StoredSession`.
  var rotation: TokenRotation?
  /// The number of changes that replaced the refresh token; see `StoredSession`.
  package internal(set) var revocations: UInt64
  /// The mark of a change that will replace the refresh token, by this process or another; see `StoredSession`.
  var pendingRevocation: PendingRevocation?
  /// The last mark of this process, which its own changes need not wait for.
  var ownMark: PendingRevocation?
  /// The marks of this process's changes that were not made. After a failure, the store may still hold one of them.
  private var withdrawnMarks: [PendingRevocation] = []
  /// The version that the store holds, as far as this process knows. Differences from it are not stored yet.
  var known: StoredSession {
    didSet { attempts = [] }
  }
  /// The versions that were sent to the store since then. The store may have written one of them even if it failed.
  private var attempts: [StoredSession] = []
  /// The reason why the session ended; `nil` while it is the engine's current one.
  package internal(set) var ending: AuthError? {
    didSet { if let ending { waits.endAll(ending) } }
  }

  /// The change whose tokens have come, and whose profile has not: listeners are notified of both together.
  weak var unannounced: AnyObject?
  /// Whether this process has completed its sign-in, so that the sessions that it replaced are not put back.
  var isComplete = false
  /// Whether its last refresh token was spent for another session.
  var isMoved = false

  var refreshes = RefreshState()
  /// The calls that wait for this session's refreshes and changes.
  let waits = SessionWaits()
  let tokenQueue: SerialTaskQueue
  let profileQueue: SerialTaskQueue

  init(_ stored: StoredSession) {
    id = stored.session
    uid = stored.profile.uid
    tenantID = stored.profile.tenantID
    profile = stored.profile
    profileAsked = stored.profileAsked
    tokens = stored.tokens
    rotation = stored.rotation
    revocations = stored.revocations
    pendingRevocation = stored.pendingRevocation
    known = stored
    tokenQueue = SerialTaskQueue(label: "gatehouse.tokens")
    profileQueue = SerialTaskQueue(label: "gatehouse.profile")
  }

  /// The version to store next; `nil` if the store is known to have everything.
  var unsaved: StoredSession? {
    var new = known
    if profile != known.profile {
      new.profile = profile
      new.profileAsked = profileAsked
    }
    new.tokens = tokens
    new.rotation = rotation
    new.revocations = revocations
    new.pendingRevocation = pendingRevocation
    if isComplete { new.replaced = [] }
    guard new != known || !attempts.isEmpty else { return nil }
    new.generation += 1
    return new
  }

  /// Records a version that is about to be sent to the store.
  func willStore(_ new: StoredSession) { attempts = attempts.suffix(15) + [new] }

  /// Whether this process has written the stored version.
  func hasWritten(_ stored: StoredSession) -> Bool { stored == known || attempts.contains(stored) }

  /// Withdraws the mark of a change that was not made.
  func withdraw(_ mark: PendingRevocation) {
    withdrawnMarks = withdrawnMarks.suffix(15) + [mark]
    dropWithdrawnMark()
  }

  func dropWithdrawnMark() {
    if let mark = pendingRevocation, withdrawnMarks.contains(mark) { pendingRevocation = nil }
  }

  /// The condition that holds while no other `Auth` has changed the stored session.
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
  /// The user's identifier only: `dump` and debuggers read on any thread, and the other members belong to the work
  /// queue.
  package nonisolated var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}
