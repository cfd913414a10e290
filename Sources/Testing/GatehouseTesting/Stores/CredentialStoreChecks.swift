package import GatehouseBase

extension CredentialStoreContract {
  /// The checks for every store.
  public static let all: [Check] = keeping + conditions + together + locking

  private static let keeping: [Check] = [
    Check(name: "a store that nothing was written to is empty") { store in
      try await expectLoad(store, nil, "from a new store")
    },
    Check(name: "every member of a session comes back as it was") { store in
      try await expectWrite(store, session(), if: .always, .written, "to an empty store")
      try await expectLoad(store, session(), "after a write")
    },
    Check(name: "members that are not set stay so") { store in
      var bare = session()
      bare.profile = UserProfile(uid: "u")
      bare.profileAsked = nil
      try await expectWrite(store, bare, if: .always, .written, "to an empty store")
      try await expectLoad(store, bare, "after a write")
    },
    Check(name: "the highest generation comes back") { store in
      let last = session(generation: .max)
      try await expectWrite(store, last, if: .always, .written, "to an empty store")
      try await expectLoad(store, last, "after a write")
    },
    Check(name: "a long token comes back") { store in
      var long = session()
      long.tokens.idToken = Secret(String(repeating: "0123456789abcdef", count: 4096))
      try await expectWrite(store, long, if: .always, .written, "of 64 KiB")
      try await expectLoad(store, long, "after a write of 64 KiB")
    },
    Check(name: "a sign-in replaces any session") { store in
      try await expectWrite(store, session("a", generation: 9), if: .always, .written, "to an empty store")
      try await expectWrite(store, session("b", generation: 1), if: .always, .written, "over another session")
      try await expectLoad(store, session("b", generation: 1), "after a second sign-in")
    },
    Check(name: "an erased session is gone") { store in
      try await expectWrite(store, session(), if: .always, .written, "to an empty store")
      try await expectWrite(store, nil, if: .always, .written, "that erases")
      try await expectLoad(store, nil, "after an erase")
    },
    Check(name: "erasing nothing is no error") { store in
      try await expectWrite(store, nil, if: .always, .written, "that erases nothing")
      try await expectLoad(store, nil, "after an erase of nothing")
    },
  ]

  private static let conditions: [Check] = [
    Check(name: "a session is ended whatever its generation") { store in
      try await expectWrite(store, session("a", generation: 7), if: .always, .written, "to an empty store")
      try await expectWrite(store, nil, if: .session("a"), .written, "that ends the stored session")
      try await expectLoad(store, nil, "after its end")
    },
    Check(name: "another session is not ended") { store in
      try await expectWrite(store, session("a"), if: .always, .written, "to an empty store")
      try await expectWrite(store, nil, if: .session("b"), .conflict(session("a")), "that ends another session")
      try await expectLoad(store, session("a"), "after a conflict")
    },
    Check(name: "a session that is gone is a conflict, and stays gone") { store in
      try await expectWrite(store, nil, if: .session("a"), .conflict(nil), "that ends what is not there")
      let late = StoreCondition.sessionBefore("a", generation: 2)
      try await expectWrite(store, session("a", generation: 2), if: late, .conflict(nil), "after the session's end")
      try await expectLoad(store, nil, "after a late write")
    },
    Check(name: "a first sign-in replaces nothing") { store in
      try await expectWrite(store, session("a"), if: .empty, .written, "to an empty store")
      try await expectWrite(store, session("b"), if: .empty, .conflict(session("a")), "over another session")
      try await expectLoad(store, session("a"), "after a conflict")
    },
    Check(name: "a later generation replaces an earlier one") { store in
      try await expectWrite(store, session("a", generation: 1), if: .always, .written, "to an empty store")
      let next = session("a", generation: 5)
      try await expectWrite(store, next, if: .sessionBefore("a", generation: 5), .written, "of a later generation")
      try await expectLoad(store, next, "after a change")
    },
    Check(name: "an equal or later generation is not replaced") { store in
      let stored = session("a", generation: 5)
      try await expectWrite(store, stored, if: .always, .written, "to an empty store")
      for generation in [5, 4, 0] as [UInt64] {
        var late = session("a", generation: generation)
        late.tokens.refreshToken = Secret("late")
        let condition = StoreCondition.sessionBefore("a", generation: generation)
        try await expectWrite(store, late, if: condition, .conflict(stored), "of generation \(generation) over 5")
      }
      try await expectLoad(store, stored, "after conflicts")
    },
    Check(name: "a change of another session is a conflict") { store in
      try await expectWrite(store, session("a"), if: .always, .written, "to an empty store")
      let condition = StoreCondition.sessionBefore("b", generation: 2)
      try await expectWrite(store, session("b", generation: 2), if: condition, .conflict(session("a")), "of another")
      try await expectLoad(store, session("a"), "after a conflict")
    },
    Check(name: "session names are compared as bytes") { store in
      let composed = session("caf\u{E9}")
      try await expectWrite(store, composed, if: .always, .written, "to an empty store")
      let other = "cafe\u{301}"
      try await expectWrite(store, nil, if: .session(other), .conflict(composed), "to a name of other bytes")
      let condition = StoreCondition.sessionBefore(other, generation: 9)
      try await expectWrite(store, nil, if: condition, .conflict(composed), "to a name of other bytes")
      try await expectLoad(store, composed, "after conflicts")
    },
  ]

  private static let together: [Check] = [
    Check(name: "of many changes to one generation exactly one is made") { store in
      try await expectWrite(store, session("a", generation: 1), if: .always, .written, "to an empty store")
      let outcomes = try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask {
            var next = session("a", generation: 2)
            next.profile.displayName = "\(number)"
            return (next, try await store.write(next, if: .sessionBefore("a", generation: 2)))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let winners = outcomes.filter { $0.1 == .written }.map(\.0)
      try expect(winners.count, is: 1, "the number of changes made")
      for (_, outcome) in outcomes where outcome != .written {
        try expect(outcome, is: .conflict(winners.first), "the outcome of the others")
      }
      try await expectLoad(store, winners.first, "after all")
    },
    Check(name: "no change is lost among writers at once") { store in
      try await expectWrite(store, session("a", generation: 0), if: .always, .written, "to an empty store")
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 { group.addTask { try await increment(store, session: "a", times: 5) } }
        try await group.waitForAll()
      }
      try await expectLoad(store, session("a", generation: 20), "after 20 changes")
    },
  ]

  /// The checks for a store with a lock. A store without a lock returns `nil` and passes.
  private static let locking: [Check] = [
    Check(name: "one at a time has the lock") { store in
      guard let lock = try await store.lock() else { return }
      try await expectInUse(store, "while it is held")
      try await expectInUse(store, "a second time")
      lock.release()
      guard let again = try await store.lock() else {
        throw Violation(description: "a store that has a lock has none after its release")
      }
      lock.release()  // of a released lock: has no effect
      try await expectInUse(store, "while the next one holds it")
      again.release()
    },
    Check(name: "a store is read and written while its lock is held") { store in
      let lock = try await store.lock()
      try await expectWrite(store, session(), if: .always, .written, "under the lock")
      try await expectLoad(store, session(), "under the lock")
      lock?.release()
      try await expectLoad(store, session(), "after the lock")
    },
  ]

  static func expectInUse(_ store: any CredentialStore, _ when: String) async throws {
    do throws(AuthError) {
      _ = try await store.lock()
    } catch {
      return try expect(error.code, is: .storeInUse, "the code of a lock that is asked for \(when)")
    }
    throw Violation(description: "a lock that is asked for \(when) should be refused, and is not")
  }

  /// Increments the generation of a stored session repeatedly, while other writers do the same.
  package static func increment(_ store: any CredentialStore, session id: String, times: Int) async throws {
    for _ in 0..<times {
      var stored = try await store.load()
      while true {
        guard let generation = stored?.generation else { throw Violation(description: "the session was lost") }
        let next = session(id, generation: generation + 1)
        let outcome = try await store.write(next, if: .sessionBefore(id, generation: generation + 1))
        guard case .conflict(let now) = outcome else { break }
        stored = now
      }
    }
  }
}

// MARK: Stores that outlive the program

extension CredentialStoreContract {
  /// The additional checks for a store that outlives the program.
  public static let durable: [DurableCheck] = [
    DurableCheck(name: "a session is there when the storage is opened again") { storage in
      try await expectWrite(storage.open(), session(), if: .always, .written, "to an empty store")
      try await expectLoad(storage.open(), session(), "when opened again")
    },
    DurableCheck(name: "an erased session is gone when the storage is opened again") { storage in
      try await expectWrite(storage.open(), session(), if: .always, .written, "to an empty store")
      try await expectWrite(storage.open(), nil, if: .session("session-1"), .written, "that erases")
      try await expectLoad(storage.open(), nil, "when opened again")
    },
    DurableCheck(name: "two that opened one storage see each other's sessions") { storage in
      let (one, other) = (try await storage.open(), try await storage.open())
      try await expectWrite(one, session("a"), if: .always, .written, "to an empty store")
      try await expectWrite(other, session("b"), if: .always, .written, "by another")
      try await expectWrite(one, nil, if: .session("a"), .conflict(session("b")), "to a session that was replaced")
    },
    DurableCheck(name: "of two that opened one storage one has the lock") { storage in
      let (one, other) = (try await storage.open(), try await storage.open())
      guard let lock = try await one.lock() else { return }
      try await expectInUse(other, "by another")
      try await expectWrite(other, session(), if: .always, .written, "by another, which needs no lock")
      lock.release()
      try await other.lock()?.release()
    },
    DurableCheck(name: "what is damaged is an error, and stays as it is") { storage in
      let store = try await storage.open()
      try await expectWrite(store, session(), if: .always, .written, "to an empty store")
      try await storage.damage()
      for again in ["", " a second time", " when opened again"] {
        let store = again.isEmpty ? store : try await storage.open()
        try await expectRefusal("loading what is damaged\(again)") { _ = try await store.load() }
        try await expectRefusal("ending what is damaged\(again)") {
          _ = try await store.write(nil, if: .session("session-1"))
        }
        try await expectRefusal("changing what is damaged\(again)") {
          _ = try await store.write(session(generation: 2), if: .sessionBefore("session-1", generation: 2))
        }
      }
    },
    DurableCheck(name: "a sign-in over what is damaged is made, or refused") { storage in
      let store = try await storage.open()
      try await expectWrite(store, session("a"), if: .always, .written, "to an empty store")
      try await storage.damage()
      do {
        try await expectWrite(store, session("b"), if: .always, .written, "over what is damaged")
      } catch is AuthError {
        return try await expectRefusal("loading what is damaged") { _ = try await store.load() }
      }
      try await expectLoad(store, session("b"), "after a sign-in over what was damaged")
    },
  ]

  private static func expectRefusal(_ what: String, _ body: () async throws -> Void) async throws {
    do { try await body() } catch is AuthError { return }
    throw Violation(description: "\(what) should fail, and did not")
  }
}
