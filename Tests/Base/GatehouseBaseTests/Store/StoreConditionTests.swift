import GatehouseBase
import Testing

struct StoreConditionTests {
  private func session(_ id: String, generation: UInt64 = 5) -> StoredSession {
    StoredSession(
      session: id, generation: generation, profile: UserProfile(uid: "u"),
      tokens: SessionTokens(
        idToken: Secret("i"), refreshToken: Secret("r"), lifetimeSeconds: 1,
        received: ClockReading(wall: 0, boot: 0, bootID: "")))
  }

  @Test func `a new sign-in replaces whatever is there`() {
    #expect(StoreCondition.always.holds(of: nil))
    #expect(StoreCondition.always.holds(of: session("a")))
  }

  @Test func `a session is ended by its name alone`() {
    #expect(StoreCondition.session("a").holds(of: session("a", generation: .max)))
    #expect(!StoreCondition.session("a").holds(of: session("b")))
    #expect(!StoreCondition.session("a").holds(of: nil))
  }

  @Test func `a session is changed from an earlier generation only`() {
    #expect(StoreCondition.sessionBefore("a", generation: 6).holds(of: session("a")))
    #expect(!StoreCondition.sessionBefore("a", generation: 5).holds(of: session("a")))
    #expect(!StoreCondition.sessionBefore("a", generation: 4).holds(of: session("a")))
    #expect(!StoreCondition.sessionBefore("b", generation: 6).holds(of: session("a")))
    #expect(!StoreCondition.sessionBefore("a", generation: 6).holds(of: nil))
  }

  @Test func `names that look alike and have other bytes are two names`() {
    #expect("\u{E9}" == "e\u{301}")
    #expect(!StoreCondition.session("\u{E9}").holds(of: session("e\u{301}")))
    #expect(!StoreCondition.sessionBefore("\u{E9}", generation: 9).holds(of: session("e\u{301}")))
  }
}
