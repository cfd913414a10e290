// The changes that an `Auth` makes to the stored sessions. Each is a function of the value alone.
extension SessionShelf {
  /// All sessions, the current one first.
  package var all: [StoredSession] { [current].compactMap(\.self) + others }

  /// Returns the stored version of a session, whether it is current or set aside.
  package func version(of session: String) -> StoredSession? { all.first { $0.session.isExactly(session) } }

  /// Makes a new session the current one, in place of every older session of its user. What it replaces it holds until
  /// its sign-in is complete.
  ///
  /// - Parameter keepsUsers: whether the current session is set aside, if it belongs to another user.
  package mutating func signIn(_ new: StoredSession, keepsUsers: Bool) {
    let (before, last) = (all, keepsUsers ? [current].compactMap(\.self) : [])
    self = SessionShelf(current: new, others: last + others)
    let kept = Set(all.map(\.name))
    let gone = before.filter { !kept.contains($0.name) }
    current?.replaced = Array(gone.flatMap { [$0] + $0.replaced }.map(\.alone).prefix(Self.maximumReplaced))
  }

  /// The maximum number of sessions that one session holds. It holds one, unless programs end within their sign-ins.
  private static let maximumReplaced = 4

  /// Makes a session that is set aside the current one, and sets the current one aside.
  ///
  /// - Returns: Whether such a session is set aside. If not, nothing changes.
  package mutating func switchTo(_ session: String) -> Bool {
    guard let next = others.first(where: { $0.session.isExactly(session) }) else { return false }
    self = SessionShelf(current: next, others: all)
    return true
  }

  /// Returns the stored version of a session that was replaced by a sign-in that may be undone.
  package func replacedVersion(of session: String) -> StoredSession? {
    all.lazy.flatMap(\.replaced).first { $0.session.isExactly(session) }
  }

  /// Replaces the stored version of a session, whether it is current, set aside, or replaced by a sign-in that may be
  /// undone. A session that is not stored has ended, and does not come back.
  package mutating func save(_ new: StoredSession) {
    if new.isVersion(of: current) { return current = new }
    if let index = others.firstIndex(where: { new.isVersion(of: $0) }) { return others[index] = new }
    changeReplaced { $0.map { new.isVersion(of: $0) ? new : $0 } }
  }

  /// Erases a session, whether it is current, set aside, or replaced by a sign-in that may be undone.
  package mutating func erase(_ session: String) {
    if current?.session.isExactly(session) == true { current = nil }
    others.removeAll { $0.session.isExactly(session) }
    changeReplaced { $0.filter { !$0.session.isExactly(session) } }
  }

  private mutating func changeReplaced(_ change: ([StoredSession]) -> [StoredSession]) {
    func changed(_ holder: StoredSession) -> StoredSession {
      var new = holder
      new.replaced = change(holder.replaced)
      if new != holder { new.generation += 1 }
      return new
    }
    self = SessionShelf(current: current.map(changed), others: others.map(changed))
  }

  /// Returns the shelf as it would be without a sign-in or switch that led from `before` to `after`. Changes that
  /// others have made since remain:
  ///
  ///     since then                                    then
  ///     a user's session is the one of `after`        the one of `before` is put back, as `after` holds it, or none
  ///     a user's session has ended or was replaced    it stays so
  ///     a session has a later version                 it is kept
  ///     another session has become current            it stays current
  package func undoing(from before: SessionShelf, to after: SessionShelf) -> SessionShelf {
    let replaced = after.current.flatMap { version(of: $0.session) }?.replaced ?? []
    let (earlier, later, now) = (before.byUser, after.byUser, byUser)
    var gone: Set<StoredSession.Name> = [], back: [StoredSession] = []
    for user in Set(earlier.keys).union(later.keys) {
      let (old, new) = (earlier[user], later[user])
      guard !Self.areVersions(old, new), Self.areVersions(now[user], new) else { continue }
      gone.insert(user)
      guard let old, var session = replaced.first(where: { $0.isVersion(of: old) }) else { continue }
      session.replaced = replaced.filter { !$0.isVersion(of: old) }
      back.append(session)
    }
    let sessions = all.filter { !gone.contains($0.user) } + back
    let byName = Dictionary(sessions.map { ($0.name, $0) }) { first, _ in first }
    let isStillCurrent = Self.areVersions(current, after.current)
    let next = (isStillCurrent ? before.current : current).flatMap { byName[$0.name] }
    let order = before.all.map(\.name), known = Set(order)
    let set = sessions.filter { !known.contains($0.name) }
    return SessionShelf(current: next, others: set + order.compactMap { byName[$0] })
  }

  /// The session of each user.
  private var byUser: [StoredSession.Name: StoredSession] {
    Dictionary(all.map { ($0.user, $0) }) { first, _ in first }
  }

  private static func areVersions(_ one: StoredSession?, _ other: StoredSession?) -> Bool {
    guard let one else { return other == nil }
    return one.isVersion(of: other)
  }
}

extension StoredSession {
  /// This session without those that it holds.
  fileprivate var alone: StoredSession {
    var alone = self
    alone.replaced = []
    return alone
  }
}
