/// The content of a store with a shelf, as a value: the current session and those of other users.
///
/// A custom store keeps one of these atomically, and implements its calls with these methods.
public struct SessionShelf: Sendable, Hashable {
  /// The current session.
  public private(set) var current: StoredSession?
  /// The sessions that are set aside, most recent first. Older ones may belong to the current user.
  public private(set) var kept: [StoredSession]

  /// Creates a shelf with these sessions.
  public init(current: StoredSession? = nil, kept: [StoredSession] = []) {
    self.current = current
    self.kept = kept
  }

  /// The sessions that can be switched to: none of the current user's.
  public var others: [StoredSession] { kept.filter { !$0.isSameUser(as: current) } }

  /// Implements `CredentialStore.write(_:if:)`.
  ///
  /// - Parameters:
  ///   - session: the session to store; `nil` erases it.
  ///   - condition: the condition on the currently stored session.
  ///   - keepsUsers: whether a replaced session is set aside.
  public mutating func write(
    _ session: StoredSession?, if condition: StoreCondition, keepsUsers: Bool
  ) -> StoreOutcome {
    guard condition.holds(of: current) else {
      guard session == nil, case .session(let id) = condition, let place = place(of: id) else {
        return .conflict(current)
      }
      kept.remove(at: place)
      return .written
    }
    if let session {
      if keepsUsers, condition == .always, !session.isSameUser(as: current) { setCurrentAside() }
      // Older sessions of the new user are kept for now: the sign-in may be undone.
      if let place = place(of: session.session) { kept.remove(at: place) }
    }
    current = session
    return .written
  }

  /// Implements `UserShelf.exchange(for:)`.
  public mutating func exchange(for session: String?) -> StoreOutcome {
    var next: StoredSession?
    if let session {
      guard let place = place(of: session) else { return .conflict(current) }
      next = kept.remove(at: place)
    }
    setCurrentAside()
    current = next
    return .written
  }

  private mutating func setCurrentAside() {
    guard let current else { return }
    kept.removeAll { $0.isSameUser(as: current) }
    kept.insert(current, at: 0)
  }

  private func place(of session: String) -> Int? { kept.firstIndex { $0.session.isExactly(session) } }
}

extension StoredSession {
  fileprivate func isSameUser(as other: StoredSession?) -> Bool {
    guard let other else { return false }
    return profile.uid.isExactly(other.profile.uid) && profile.tenantID.isExactly(other.profile.tenantID)
  }
}
