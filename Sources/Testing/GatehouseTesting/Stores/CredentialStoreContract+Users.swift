import GatehouseBase

extension CredentialStoreContract {
  /// The additional checks for a store that keeps the sessions of several users.
  public static let keepingUsers: [Check] = [
    Check(name: "a store that keeps users has a shelf, empty at first") { store in
      try await expectOthers(store, [], "on a new shelf")
    },
    Check(name: "a sign-in sets the session of another user aside, whole") { store in
      try await signIn(store, "a", generation: 3)
      try await signIn(store, "b")
      try await expectLoad(store, user("b"), "after a second sign-in")
      try await expectOthers(store, [user("a", generation: 3)], "after a second sign-in")
    },
    Check(name: "a user has one session on the shelf, the latest") { store in
      for name in ["a", "b"] { try await signIn(store, name) }
      try await signIn(store, "a", session: "again")
      try await expectOthers(store, [user("b")], "while the user of an older session is signed in")
      try await signIn(store, "c")
      try await expectOthers(store, [user("a", session: "again"), user("b")], "after the third user's sign-in")
    },
    Check(name: "users of one identifier in two tenants are two users") { store in
      var other = user("a", session: "other")
      other.profile.tenantID = "north"
      try await signIn(store, "a")
      try await expectWrite(store, other, if: .always, .written, "of a tenant's user")
      try await expectOthers(store, [user("a")], "beside a tenant's user")
    },
    Check(name: "a session of the shelf becomes the current one, and the current one is set aside") { store in
      for name in ["a", "b", "c"] { try await signIn(store, name) }
      try await expectExchange(store, "a", .written, "of a session that is set aside")
      try await expectLoad(store, user("a"), "after an exchange")
      try await expectOthers(store, [user("c"), user("b")], "after an exchange")
      try await expectExchange(store, nil, .written, "for none")
      try await expectLoad(store, nil, "after an exchange for none")
      try await expectOthers(store, [user("a"), user("c"), user("b")], "after an exchange for none")
    },
    Check(name: "a session that is not on the shelf is a conflict, and nothing changes") { store in
      for name in ["a", "b"] { try await signIn(store, name) }
      for missing in ["x", "b"] {
        try await expectExchange(store, missing, .conflict(user("b")), "of a session that is not set aside")
      }
      try await expectLoad(store, user("b"), "after a conflict")
      try await expectOthers(store, [user("a")], "after a conflict")
    },
    Check(name: "ending the current session leaves the shelf alone") { store in
      for name in ["a", "b"] { try await signIn(store, name) }
      try await expectWrite(store, nil, if: .session("b"), .written, "that ends the current session")
      try await expectLoad(store, nil, "after its end")
      try await expectOthers(store, [user("a")], "after the end of the current session")
    },
    Check(name: "a session that is set aside can be ended") { store in
      for name in ["a", "b", "c"] { try await signIn(store, name) }
      try await expectWrite(store, nil, if: .session("a"), .written, "that ends a session on the shelf")
      try await expectLoad(store, user("c"), "after that")
      try await expectOthers(store, [user("b")], "after that")
    },
    Check(name: "an undone sign-in leaves no trace") { store in
      for name in ["b", "a"] { try await signIn(store, name) }
      try await signIn(store, "b", session: "new")
      try await expectWrite(store, user("a"), if: .session("new"), .written, "that undoes a sign-in")
      try await expectLoad(store, user("a"), "after the undoing")
      try await expectOthers(store, [user("b")], "after the undoing")
    },
  ]

  private static func user(_ name: String, session: String? = nil, generation: UInt64 = 1) -> StoredSession {
    var stored = self.session(session ?? name, generation: generation)
    stored.profile.uid = "uid-\(name)"
    return stored
  }

  private static func signIn(
    _ store: any CredentialStore, _ name: String, session: String? = nil, generation: UInt64 = 1
  ) async throws {
    let stored = user(name, session: session, generation: generation)
    try await expectWrite(store, stored, if: .always, .written, "of a sign-in")
  }

  private static func expectOthers(
    _ store: any CredentialStore, _ expected: [StoredSession], _ when: String
  ) async throws {
    guard let shelf = store.shelf else { throw Violation(description: "a store that keeps users has no shelf") }
    try expect(try await shelf.others(), is: expected, "what is set aside \(when)")
  }

  private static func expectExchange(
    _ store: any CredentialStore, _ session: String?, _ expected: StoreOutcome, _ when: String
  ) async throws {
    try expect(try await store.shelf?.exchange(for: session), is: expected, "the outcome of an exchange \(when)")
  }
}
