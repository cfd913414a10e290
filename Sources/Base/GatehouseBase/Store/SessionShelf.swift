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
    var users: Set<StoredSession.Name> = []
    if let current { users.insert(current.user) }
    self.others = others.filter { users.insert($0.user).inserted }
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
  /// The name of a user or of a session, which is compared as bytes. A shelf may have thousands of them.
  package struct Name: Hashable, Sendable {
    private let text: String
    private let tenantID: String?

    fileprivate init(_ text: String, of tenantID: String? = nil) { (self.text, self.tenantID) = (text, tenantID) }

    package static func == (one: Name, other: Name) -> Bool {
      Steps.add(1)
      return one.text.isExactly(other.text) && one.tenantID.isExactly(other.tenantID)
    }

    package func hash(into hasher: inout Hasher) { text.hashExactly(into: &hasher) }
  }

  /// The session's user, of the user's tenant.
  package var user: Name { Name(profile.uid, of: profile.tenantID) }

  /// The session's identifier.
  package var name: Name { Name(session) }

  /// Whether both sessions belong to one user.
  package func isSameUser(as other: StoredSession?) -> Bool {
    guard let other else { return false }
    Steps.add(1)
    return profile.uid.isExactly(other.profile.uid) && profile.tenantID.isExactly(other.profile.tenantID)
  }

  /// Whether both are versions of one session.
  package func isVersion(of other: StoredSession?) -> Bool {
    Steps.add(1)
    return other.map { session.isExactly($0.session) } ?? false
  }
}
