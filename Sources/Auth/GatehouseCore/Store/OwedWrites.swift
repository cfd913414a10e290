import GatehouseBase

/// The changes that an `Auth` owes its store, as a value: they are decided, and the store does not have them yet.
///
///     owed                      until                      at most
///     the end of a sign-in      the store is as it was     one: everything else of the store waits for it
///     or switch that is over    before
///     the erasure of a          the store does not have    one for each user
///     session                   the session any more
///
/// Owed changes are carried out before any other change. So a session that was signed out is never set aside.
struct OwedWrites: Sendable, Equatable {
  /// A session to erase.
  enum Erasure: Sendable, Equatable {
    /// This session, whether it is current or set aside.
    case session(SessionName)
    /// The session that is found to be current at the next read: the user signed out before it was known.
    case current
  }

  /// A session and its user, without their secrets.
  struct SessionName: Sendable, Equatable {
    let session: String
    let uid: String
    let tenantID: String?

    func isOfSameUser(as other: SessionName?) -> Bool {
      guard let other else { return false }
      return uid.isExactly(other.uid) && tenantID.isExactly(other.tenantID)
    }
  }

  /// A sign-in or switch that is not accepted yet, with the sessions before and after it.
  struct Undoing: Sendable, Equatable {
    let before: SessionShelf
    let after: SessionShelf
  }

  private(set) var erasures: [Erasure] = []
  var undoing: Undoing?

  var isEmpty: Bool { erasures.isEmpty && undoing == nil }

  /// Whether the session that is found to be current must be erased.
  var erasesCurrent: Bool { erasures.contains(.current) }

  /// Records an erasure. It replaces an earlier one of the same user, of which the store keeps one session at most.
  mutating func erase(_ erasure: Erasure) {
    erasures.removeAll { $0 == erasure || $0.name?.isOfSameUser(as: erasure.name) == true }
    erasures.append(erasure)
  }

  /// Returns the stored sessions as they are when everything owed is carried out.
  func carriedOut(on stored: SessionShelf) -> SessionShelf {
    var shelf = undoing.map { stored.undoing(from: $0.before, to: $0.after) } ?? stored
    for erasure in erasures {
      if let session = erasure.name?.session ?? shelf.current?.session { shelf.erase(session) }
    }
    return shelf
  }

  /// Identifies the session that was found to be current, so that no later one is erased in its place.
  mutating func identifyCurrent(in stored: SessionShelf) {
    guard erasesCurrent else { return }
    erasures.removeAll { $0 == .current }
    let shelf = undoing.map { stored.undoing(from: $0.before, to: $0.after) } ?? stored
    if let current = shelf.current { erase(.session(SessionName(current))) }
  }

  /// Removes what the store has carried out.
  mutating func remove(_ done: OwedWrites) {
    erasures.removeAll { done.erasures.contains($0) }
    if undoing == done.undoing { undoing = nil }
  }
}

extension OwedWrites.Erasure {
  fileprivate var name: OwedWrites.SessionName? {
    guard case .session(let name) = self else { return nil }
    return name
  }
}

extension OwedWrites.SessionName {
  init(_ stored: StoredSession) {
    self.init(session: stored.session, uid: stored.profile.uid, tenantID: stored.profile.tenantID)
  }
}

extension UserSession {
  /// This session's name in the list of what the store is owed.
  nonisolated var name: OwedWrites.SessionName { OwedWrites.SessionName(session: id, uid: uid, tenantID: tenantID) }
}
