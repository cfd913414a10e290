/// The sessions that a store keeps, as a value: the current one, and those of other users. Each user has one session.
///
/// Two sessions belong to one user if their user identifiers and tenants are equal, compared as bytes.
public struct SessionShelf: Sendable, Hashable {
  /// The current session.
  public package(set) var current: StoredSession?
  /// The sessions that are set aside, most recent first: at most one for each user, and none of the current user's.
  public package(set) var others: [StoredSession]

  /// Creates a shelf with these sessions. If a user has several, the shelf keeps the current one, or the first.
  public init(current: StoredSession? = nil, others: [StoredSession] = []) {
    self.current = current
    self.others = others.reduce(into: []) { kept, session in
      guard !session.isSameUser(as: current), !kept.contains(where: session.isSameUser) else { return }
      kept.append(session)
    }
  }

  /// Implements `CredentialStore.write(_:if:)`, which leaves the sessions of other users as they are.
  ///
  /// - Parameters:
  ///   - session: the session to store as the current one; `nil` erases the current one.
  ///   - condition: the condition on the current session.
  public mutating func write(_ session: StoredSession?, if condition: StoreCondition) -> StoreOutcome {
    guard condition.holds(of: current) else { return .conflict(current) }
    self = SessionShelf(current: session, others: others)
    return .written
  }
}

extension StoredSession {
  /// Whether both sessions belong to one user.
  package func isSameUser(as other: StoredSession?) -> Bool {
    guard let other else { return false }
    return profile.uid.isExactly(other.profile.uid) && profile.tenantID.isExactly(other.profile.tenantID)
  }

  /// Whether both are versions of one session.
  package func isVersion(of other: StoredSession?) -> Bool { other.map { session.isExactly($0.session) } ?? false }
}
