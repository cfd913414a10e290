import GatehouseBase

extension CredentialStoreContract {
  /// The additional checks for a store that keeps the sessions of several users.
  public static let keepingUsers: [Check] = [
    Check(name: "a store that keeps users has a shelf, empty at first") { store in
      try await expectSessions(store, SessionShelf(), "on a new shelf")
    },
    Check(name: "all sessions come back as they were, in their order") { store in
      let three = shelf("a", "b", "c")
      try await expectReplacement(store, SessionShelf(), by: three, true, "of nothing")
      try await expectSessions(store, three, "after a replacement")
      let two = SessionShelf(others: three.others)
      try await expectReplacement(store, three, by: two, true, "by none that is current")
      try await expectSessions(store, two, "after a replacement by none that is current")
    },
    Check(name: "users of one identifier in two tenants are two users") { store in
      var north = user("a", session: "other")
      north.profile.tenantID = "north"
      let both = SessionShelf(current: user("a"), others: [north])
      try await expectReplacement(store, SessionShelf(), by: both, true, "by a tenant's user")
      try await expectSessions(store, both, "with a tenant's user")
    },
    Check(name: "what is not stored any more is not replaced") { store in
      let stored = shelf("a", "b")
      try await expectReplacement(store, SessionShelf(), by: stored, true, "of nothing")
      let known = [
        SessionShelf(), shelf("a"), shelf("a", "b", "c"), shelf("b", "a"),
        SessionShelf(current: user("a"), others: [user("b", generation: 2)]),
        SessionShelf(current: user("a", generation: 2), others: [user("b")]),
      ]
      for known in known {
        try await expectReplacement(store, known, by: shelf("c"), false, "of what is not stored")
      }
      try await expectSessions(store, stored, "after replacements that were refused")
    },
    Check(name: "an empty shelf replaces everything") { store in
      try await expectReplacement(store, SessionShelf(), by: shelf("a", "b"), true, "of nothing")
      try await expectReplacement(store, shelf("a", "b"), by: SessionShelf(), true, "by nothing")
      try await expectSessions(store, SessionShelf(), "after a replacement by nothing")
      try await expectLoad(store, nil, "after a replacement by nothing")
    },
    Check(name: "the current session is loaded and written, and the others stay") { store in
      try await expectReplacement(store, SessionShelf(), by: shelf("a", "b"), true, "of nothing")
      try await expectLoad(store, user("a"), "beside another user's session")
      let condition = StoreCondition.sessionBefore("a", generation: 2)
      try await expectWrite(store, user("a", generation: 2), if: condition, .written, "of the current session")
      let changed = SessionShelf(current: user("a", generation: 2), others: [user("b")])
      try await expectSessions(store, changed, "after a write of the current session")
      try await expectWrite(store, nil, if: .session("a"), .written, "that ends the current session")
      try await expectSessions(store, SessionShelf(others: [user("b")]), "after the end of the current session")
    },
    Check(name: "of many replacements at once exactly one is made") { store in
      guard let kept = store.shelf else { throw Violation(description: "a store that keeps users has no shelf") }
      try await expectReplacement(store, SessionShelf(), by: shelf("a"), true, "of nothing")
      let made = try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask {
            let new = shelf("\(number)", "a")
            return try await kept.replace(shelf("a"), by: new) ? [new] : []
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try expect(made.count, is: 1, "the number of replacements made")
      try await expectSessions(store, made[0], "after all")
    },
  ]

  private static func user(_ name: String, session: String? = nil, generation: UInt64 = 1) -> StoredSession {
    var stored = self.session(session ?? name, generation: generation)
    stored.profile.uid = "uid-\(name)"
    return stored
  }

  /// The sessions of these users, the current one first.
  private static func shelf(_ names: String...) -> SessionShelf {
    SessionShelf(current: user(names[0]), others: names.dropFirst().map { user($0) })
  }

  private static func expectSessions(
    _ store: any CredentialStore, _ expected: SessionShelf, _ when: String
  ) async throws {
    guard let shelf = store.shelf else { throw Violation(description: "a store that keeps users has no shelf") }
    try expect(try await shelf.sessions(), is: expected, "what is stored \(when)")
  }

  private static func expectReplacement(
    _ store: any CredentialStore, _ known: SessionShelf, by new: SessionShelf, _ expected: Bool, _ when: String
  ) async throws {
    try expect(try await store.shelf?.replace(known, by: new), is: expected, "the outcome of a replacement \(when)")
  }
}
