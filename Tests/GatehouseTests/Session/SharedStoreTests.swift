import Gatehouse
import GatehouseTesting
import IdentityToolkit
import Testing

/// Two `Auth`s on one store never lose a good session.
@Suite struct SharedStoreTests {
  private struct Pair {
    let backend: LateBackend
    let memory = MemoryCredentialStore()
    let one: Scene
    let other: Scene
    let ada: User
    let adaThere: User

    /// Ada has signed up in `one`, and `other` has restored her session from the same store.
    init(keepingBack kind: any Call.Type) async throws {
      let backend = LateBackend(keepingBack: kind), memory = memory
      self.backend = backend
      one = Scene(store: FaultyStore(memory)) { $0.backend = backend }
      ada = try await one.auth.createUser(withEmail: Scene.email, password: Scene.password).user
      other = Scene(store: FaultyStore(memory), clocks: one.clocks) { $0.backend = backend }
      try await other.auth.ready()
      adaThere = try #require(other.auth.currentUser)
    }

    /// Both are signed in with the tokens that the store holds, and the provider takes them.
    func expectBothSignedIn() async throws {
      try await one.auth.flush()
      try await other.auth.flush()
      #expect(one.auth.currentUser == ada)
      #expect(other.auth.currentUser == adaThere)
      _ = try await ada.getIDToken(forcingRefresh: true)
      _ = try await adaThere.getIDToken(forcingRefresh: true)
      #expect(try await memory.load()?.tokens.refreshToken.revealed == ada.refreshToken)
      #expect(adaThere.refreshToken == ada.refreshToken)
    }
  }

  @Test func `a refusal while another Auth changes the password ends nothing`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    let answer = pair.backend.keepBack()
    let change = Delivery { pair.ada.updatePassword(to: "battery staple", completion: $0) }
    await answer.waitUntilReached()
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await pair.backend.scripted.waitForCall(.refresh)
    let looksAgain = Task { await pair.one.clocks.waitForSleeper(of: 0.25) }
    let refused = Task {
      _ = await token.result
      looksAgain.cancel()
    }
    await looksAgain.value
    #expect(token.count == 0, "it looks again for a while")
    answer.open()
    try await change.value
    try await pair.one.auth.flush()
    pair.one.clocks.advance(by: 0.25)
    #expect(try await token.value.isEmpty == false)
    await refused.value
    try await pair.expectBothSignedIn()
  }

  @Test func `an old refresh that is answered after a password change does not replace the new tokens`() async throws {
    let pair = try await Pair(keepingBack: ExchangeRefreshToken.self)
    let answer = pair.backend.keepBack()
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await answer.waitUntilReached()
    try await pair.ada.updatePassword(to: "battery staple")
    try await pair.one.auth.flush()
    pair.one.clocks.advance(by: 10)  // the answer comes later than the new tokens
    answer.open()
    _ = await token.result
    try await pair.other.auth.flush()
    try await pair.expectBothSignedIn()
  }

  @Test func `an erasure that meets a newer session leaves it alone, and takes it`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.other.store.hold(.write)
    pair.backend.scripted.fail(.refresh, AuthError(server: "TOKEN_EXPIRED"))
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await pair.other.store.waitUntilHeld(.write)  // the erasure, behind the last look
    pair.one.clocks.advance(by: 1)
    try await pair.ada.updatePassword(to: "battery staple")
    try await pair.one.auth.flush()
    pair.other.store.release(.write)
    _ = await token.result
    try await pair.expectBothSignedIn()
  }

  @Test func `an adopted token ends the pause of the refreshes`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(600)))
    await #expect(throws: AuthError.self) { try await pair.adaThere.getIDToken(forcingRefresh: true) }
    pair.one.clocks.advance(by: 1)
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    try await pair.one.auth.flush()
    #expect(try await pair.adaThere.getIDToken(forcingRefresh: true).isEmpty == false)
  }

  @Test func `a session that the provider has ended is erased, and both are signed out`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.change(pair.ada.uid) { $0.disabled = true }
    let error = await #expect(throws: AuthError.self) { try await pair.ada.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .userDisabled)
    #expect(pair.one.auth.currentUser == nil)
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load() == nil)
    await #expect(throws: AuthError.self) { try await pair.adaThere.getIDToken(forcingRefresh: true) }
    #expect(pair.other.auth.currentUser == nil)
  }
}
