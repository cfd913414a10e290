import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend that lists its users' sessions, which are calls specific to Gatehouse.
  public static let sessions: [Check] = [
    Check(name: "a user's sessions are listed, and one is ended alone") { backend in
      let ada = Person()
      let (first, second) = (try await backend.signUp(ada), try await backend.signIn(ada))
      let listed = try await backend.answer(ListSessions(idToken: first.idToken)).sessions
      try expect(listed.count == 2, "two sign-ins should be two sessions, and are \(listed.count)")
      try expect(Set(listed.map(\.sessionId)).count == listed.count, "two sessions have one name")
      try expect(listed.count { $0.isCurrent == true } == 1, "one session should be the one that asks")
      let seen = try await backend.answer(ListSessions(idToken: second.idToken)).sessions
      let other = seen.first { $0.isCurrent == true }
      try expect(listed.first { $0.isCurrent != true }?.sessionId, isExactly: other?.sessionId, "the other session")
      _ = try await backend.answer(RevokeSessions(idToken: first.idToken, sessionId: other?.sessionId ?? ""))
      let refresh = ExchangeRefreshToken(refreshToken: second.refreshToken)
      try await expectRefusal(of: refresh, by: backend, with: endedSession, "a refresh of a session that was ended")
      let lookup = Lookup(idToken: second.idToken)
      try await expectRefusal(of: lookup, by: backend, with: endedSession, "a token of a session that was ended")
      let fresh = await outcome(of: ExchangeRefreshToken(refreshToken: first.refreshToken), by: backend)
      try expect((try? fresh.get())?.userId, isExactly: first.localId, "the user of the session that goes on")
      let rest = try await backend.answer(ListSessions(idToken: first.idToken)).sessions
      try expect(rest.count == 1, "a session that was ended should not be listed; \(rest.count) are")
    },
    Check(name: "all sessions of a user are ended at once, and no other user's") { backend in
      let (ada, grace) = (Person(), Person())
      let sessions = [try await backend.signUp(ada), try await backend.signIn(ada)]
      let others = try await backend.signUp(grace)
      let theirs = try await backend.answer(ListSessions(idToken: others.idToken)).sessions.first?.sessionId
      // A user cannot end another user's session. The call may be refused or do nothing.
      _ = await outcome(of: RevokeSessions(idToken: sessions[0].idToken, sessionId: theirs), by: backend)
      _ = try await backend.answer(RevokeSessions(idToken: sessions[0].idToken))
      for session in sessions {
        let refresh = ExchangeRefreshToken(refreshToken: session.refreshToken)
        try await expectRefusal(of: refresh, by: backend, with: endedSession, "one of the sessions that were ended")
      }
      let fresh = await outcome(of: ExchangeRefreshToken(refreshToken: others.refreshToken), by: backend)
      try expect((try? fresh.get())?.userId, isExactly: others.localId, "the user of another's session")
      try expect(
        try await backend.signIn(ada).localId, isExactly: sessions[0].localId, "the account that signs in anew")
    },
  ]
}
