import Gatehouse
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// A refresh token that each refresh spends survives a crash, a lost answer, and a second program.
@Suite(.endsIfItHangs) struct RotationTests {
  /// An `Auth` whose provider rotates refresh tokens, with Ada signed in.
  private struct Scene: Sendable {
    let backend: RotatingBackend
    let memory = MemoryCredentialStore()
    let store: FaultyStore
    let clocks = ManualClocks()
    let auth: Auth
    let user: User

    init(
      _ backend: RotatingBackend = RotatingBackend(hasGrace: true),
      _ adjust: (inout Auth.Configuration) -> Void = { _ in }
    ) async throws {
      self.backend = backend
      store = FaultyStore(memory)
      var configuration = Auth.Configuration.forTests(backend, store, clocks)
      adjust(&configuration)
      auth = Auth(configuration)
      user = try await auth.createUser(withEmail: GatehouseTests.Scene.email, password: GatehouseTests.Scene.password)
        .user
    }

    var rotation: TokenRotation? { get async throws { try await store.load()?.rotation } }
    var writes: Int { store.calls.count { $0.operation == .write } }

    /// The program ends while its refresh is in flight, and starts again on what it has stored.
    func startedAgain(_ adjust: (inout StoredSession) -> Void = { _ in }) async throws -> (Auth, FaultyStore) {
      backend.scripted.hold(.refresh)
      let lost = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
      await backend.scripted.waitForCall(.refresh)
      var stored = try #require(try await store.load())
      adjust(&stored)
      backend.scripted.release(.refresh)
      _ = await lost.result
      let memory = MemoryCredentialStore()
      _ = try await memory.write(stored, if: .always)
      let again = FaultyStore(memory)
      return (Auth(.forTests(backend, again, clocks, seed: 2)), again)
    }
  }

  // MARK: The intent

  @Test func `before a token is spent that is stored, and after the answer not any more`() async throws {
    let scene = try await Scene()
    let spent = try #require(scene.user.refreshToken)
    scene.backend.scripted.hold(.refresh)
    let token = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.scripted.waitForCall(.refresh)
    let stored = try #require(try await scene.store.load())
    let fingerprint = try #require(stored.rotation?.spending?.split(separator: ".").first)
    #expect(stored.tokens.refreshToken.revealed == spent)
    #expect(fingerprint.utf8.count == 11 && !spent.contains(fingerprint), "64 bits of its hash")
    scene.backend.scripted.release(.refresh)
    _ = try await token.value
    try await scene.auth.flush()
    #expect(try await scene.rotation == TokenRotation())
  }

  @Test func `a session whose token is not replaced is written once by a refresh`() async throws {
    let scene = try await GatehouseTests.Scene.signedIn()
    func writes() -> Int { scene.scene.store.calls.count { $0.operation == .write } }
    let before = writes()
    _ = try await scene.user.getIDToken(forcingRefresh: true)
    try await scene.scene.auth.flush()
    #expect(writes() == before + 1)
    #expect(try await scene.scene.store.load()?.rotation == nil)
  }

  @Test func `a token that came back different is noted before the next refresh`() async throws {
    let scene = try await Scene(RotatingBackend(saysSo: false))
    let before = scene.writes
    _ = try await scene.user.getIDToken(forcingRefresh: true)
    try await scene.auth.flush()
    #expect(scene.writes == before + 1)
    #expect(try await scene.rotation == TokenRotation())
    scene.backend.scripted.hold(.refresh)
    let token = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.scripted.waitForCall(.refresh, count: 2)
    #expect(try await scene.rotation?.spending != nil)
    scene.backend.scripted.release(.refresh)
    _ = try await token.value
  }

  @Test func `a token is not sent if that cannot be stored, and the last ID token serves`() async throws {
    let scene = try await Scene()
    let last = try await scene.user.getIDToken()
    scene.store.fail(.write, with: AuthError(.storeFailed, "the disk is full"), times: 2)
    let error = await #expect(throws: AuthError.self) { try await scene.user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .storeFailed)
    scene.clocks.advance(by: 3_400)
    #expect(try await scene.user.getIDToken() == last)
    #expect(scene.backend.sent.isEmpty)
    #expect(try await scene.user.getIDToken() != last)
    #expect(scene.backend.sent.count == 1)
  }

  @Test func `a refusal that changes nothing takes the intent back`() async throws {
    let scene = try await Scene()
    scene.backend.scripted.fail(.refresh, AuthError(server: "TOO_MANY_ATTEMPTS_TRY_LATER"))
    await #expect(throws: AuthError.self) { try await scene.user.getIDToken(forcingRefresh: true) }
    try await scene.auth.flush()
    #expect(try await scene.rotation == TokenRotation())
  }

  @Test func `another program's change of the profile does not remove the intent`() async throws {
    let scene = try await Scene()
    scene.store.hold(.write)
    scene.backend.scripted.hold(.refresh)
    let token = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.store.waitUntilHeld(.write)
    var stored = try #require(try await scene.store.load())
    stored.profile.displayName = "Ada"
    stored.profileAsked = scene.clocks.now()
    stored.generation += 1
    _ = try await scene.memory.write(stored, if: .always)
    scene.store.release(.write)
    await scene.backend.scripted.waitForCall(.refresh)
    let both = try #require(try await scene.store.load())
    #expect(both.rotation?.spending != nil && both.profile.displayName == "Ada")
    scene.backend.scripted.release(.refresh)
    _ = try await token.value
  }

  // MARK: After a crash

  @Test func `after a crash the token is sent again at once, and its session goes on`() async throws {
    let scene = try await Scene()
    let spent = try #require(scene.user.refreshToken)
    let (auth, store) = try await scene.startedAgain()
    try await auth.ready()
    await scene.backend.scripted.waitForCall(.refresh, count: 2)
    _ = try await auth.currentUser?.getIDToken(forcingRefresh: true)
    try await auth.flush()
    #expect(scene.backend.sent == [spent, spent, "rotated-1"])
    #expect(!scene.backend.wasSpentTwice)
    #expect(try await store.load()?.tokens.refreshToken.revealed == "rotated-2")
  }

  @Test func `what another program has noted is noted again, because that program may take it back`() async throws {
    let scene = try await Scene()
    let (auth, store) = try await scene.startedAgain()
    let left = try #require(try await store.load()?.rotation?.spending)
    scene.backend.scripted.hold(.refresh)
    try await auth.ready()
    await scene.backend.scripted.waitForCall(.refresh, count: 2)
    let own = try #require(try await store.load()?.rotation?.spending)
    #expect(own != left && own.split(separator: ".").first == left.split(separator: ".").first)
    scene.backend.scripted.release(.refresh)
    try await auth.close()
  }

  @Test func `when the token is refused then, a sign-in is due, and the error says why`() async throws {
    let scene = try await Scene(RotatingBackend(hasGrace: false))
    let (auth, store) = try await scene.startedAgain()
    try await auth.ready()
    #expect(await comes { auth.state != .restoring && auth.currentUser == nil })
    guard case .signedOut(let error) = auth.state else { throw AuthError(.internalError, "\(auth.state)") }
    #expect(error?.code == .userTokenExpired && error?.message.contains("had no answer") == true)
    #expect(try await store.load() == nil)
  }

  @Test func `a token that was not being spent is not sent by a start, and its refusal names no answer`() async throws {
    let scene = try await Scene(RotatingBackend(hasGrace: false))
    let (auth, store) = try await scene.startedAgain { $0.rotation = TokenRotation() }
    try await auth.ready()
    try await auth.close()  // which waits for a refresh
    #expect(scene.backend.sent.count == 1)
    let again = Auth(.forTests(scene.backend, store, scene.clocks, seed: 3))
    try await again.ready()
    let error = await #expect(throws: AuthError.self) {
      try await again.currentUser?.getIDToken(forcingRefresh: true)
    }
    #expect(error?.code == .userTokenExpired && error?.message.contains("had no answer") == false)
  }

  @Test func `the intent of another token says nothing about this one`() async throws {
    let scene = try await Scene()
    let (auth, _) = try await scene.startedAgain { $0.rotation = TokenRotation(spending: "another") }
    try await auth.ready()
    _ = try await auth.currentUser?.getIDToken()
    try await auth.close()  // which waits for a refresh
    #expect(scene.backend.sent.count == 1)
  }

  // MARK: Lost answers

  @Test func `a token whose answer was lost is sent once more`() async throws {
    let scene = try await Scene()
    scene.backend.loseAnswers(1)
    _ = try await scene.user.getIDToken(forcingRefresh: true)
    #expect(scene.backend.sent.count == 2 && Set(scene.backend.sent).count == 1)
    #expect(scene.user.refreshToken == "rotated-1")
  }

  @Test func `a token that is not known to be spent by a refresh is not sent once more`() async throws {
    let scene = try await Scene(RotatingBackend(saysSo: false, hasGrace: true))
    scene.backend.loseAnswers(1)
    let error = await #expect(throws: AuthError.self) { try await scene.user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .networkError)
    #expect(scene.backend.sent.count == 1)
  }

  @Test func `a server that wants to be left alone is`() async throws {
    let scene = try await Scene()
    scene.backend.scripted.fail(.refresh, AuthError(.networkError, "busy", retryAfter: .seconds(9)))
    await #expect(throws: AuthError.self) { try await scene.user.getIDToken(forcingRefresh: true) }
    #expect(scene.backend.sent.count == 1)
    #expect(try await scene.rotation?.spending != nil)
  }

  @Test func `an answer that is lost twice is asked for by a later call, which does not wait for it`() async throws {
    let scene = try await Scene()
    let last = try await scene.user.getIDToken()
    scene.backend.loseAnswers(2)
    let error = await #expect(throws: AuthError.self) { try await scene.user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .networkError)
    #expect(try await scene.rotation?.spending != nil)
    #expect(try await scene.user.getIDToken() == last)
    #expect(scene.backend.sent.count == 2, "in the back-off nothing is sent")
    scene.clocks.advance(by: 10)
    scene.backend.scripted.hold(.refresh)
    #expect(try await scene.user.getIDToken() == last)
    await scene.backend.scripted.waitForCall(.refresh, count: 3)
    #expect(try await scene.user.getIDToken() == last, "a fresh token does not wait for a request in flight")
    scene.backend.scripted.release(.refresh)
    _ = try await scene.user.getIDToken(forcingRefresh: true)
    #expect(Set(scene.backend.sent.prefix(3)).count == 1 && scene.backend.sent.last == "rotated-1")
  }

  @Test func `after a timeout the same token is sent again, and a refusal of it says why`() async throws {
    let scene = try await Scene(RotatingBackend(hasGrace: false)) { $0.timeouts.refresh = .seconds(7) }
    scene.backend.loseAnswers(1)
    scene.backend.scripted.hold(.refresh)
    let token = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.scripted.waitForCall(.refresh)
    scene.clocks.advance(by: 7)
    #expect(await token.error?.code == .deadlineExceeded)
    #expect(try await scene.rotation?.spending != nil)
    scene.backend.scripted.release(.refresh)
    let error = await #expect(throws: AuthError.self) { try await scene.user.getIDToken(forcingRefresh: true) }
    #expect(error?.message.contains("had no answer") == true)
    #expect(Set(scene.backend.sent).count == 1)
  }

  // MARK: Answers that do not come

  /// A refresh that has had no answer for so long that its token was sent once more.
  ///
  /// - Parameter longest: how long the end of its requests is waited for, in seconds.
  private func unanswered(_ scene: Scene, longest: Int = 60) async -> Delivery<String> {
    scene.backend.scripted.hold(.refresh)
    let token = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.scripted.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(of: .seconds(15))
    await scene.clocks.waitForSleeper(of: .seconds(longest))
    scene.clocks.advance(by: 15)
    await scene.backend.scripted.waitForCall(.refresh, count: 2)
    return token
  }

  /// Gives everything that could go on now the time to do so.
  private func settle(_ scene: Scene) async throws {
    let other = Auth(.forTests(scene.backend, .memory, scene.clocks, seed: 9))
    for _ in 1...50 { try await other.flush() }
  }

  @Test func `a token that has no answer is sent once more while the provider repeats it`() async throws {
    let scene = try await Scene()
    let token = await unanswered(scene)
    scene.backend.scripted.releaseLast(.refresh)
    _ = try await token.value
    #expect(scene.backend.sent.count == 2 && Set(scene.backend.sent).count == 1)
    #expect(scene.user.refreshToken == "rotated-1")
    scene.backend.scripted.release(.refresh)
    try await scene.auth.close()
    #expect(try await scene.memory.load()?.tokens.refreshToken.revealed == "rotated-1")
  }

  @Test func `the first answer counts, and the next token is spent when the other request has ended`() async throws {
    let scene = try await Scene()
    let token = await unanswered(scene)
    scene.backend.scripted.releaseOne(.refresh)
    _ = try await token.value
    let next = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    try await settle(scene)
    #expect(scene.backend.sent.count == 2)
    let error = await #expect(throws: AuthError.self) { try await scene.store.lock() }
    #expect(error?.code == .storeInUse, "another program does not spend it either")
    scene.backend.scripted.release(.refresh)
    _ = try await next.value
    #expect(scene.backend.sent.last == "rotated-1" && !scene.backend.wasSpentTwice)
  }

  @Test func `the end of an Auth waits for the other request`() async throws {
    let scene = try await Scene()
    let token = await unanswered(scene)
    scene.backend.scripted.releaseOne(.refresh)
    _ = try await token.value
    let end = Delivery { scene.auth.close(completion: $0) }
    try await settle(scene)
    #expect(end.count == 0)
    scene.backend.scripted.release(.refresh)
    try await end.value
  }

  @Test func `a refusal counts when no other request is open`() async throws {
    let scene = try await Scene()
    scene.backend.loseAnswers(1)
    let token = await unanswered(scene)
    scene.backend.scripted.releaseOne(.refresh)
    try await settle(scene)
    #expect(token.count == 0)
    scene.backend.scripted.release(.refresh)
    _ = try await token.value
    #expect(scene.backend.sent.count == 2)
  }

  @Test func `requests that never end are not waited for beyond twice the limit of a refresh`() async throws {
    let scene = try await Scene { $0.timeouts.refresh = .seconds(20) }
    let token = await unanswered(scene, longest: 40)
    scene.clocks.advance(by: 5)
    #expect(await token.error?.code == .deadlineExceeded)
    scene.clocks.advance(by: 1)
    let next = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.clocks.waitForSleeper(of: .seconds(20))
    try await settle(scene)
    #expect(scene.backend.sent.count == 2, "an answer may still come")
    scene.clocks.advance(by: 18)
    try await settle(scene)
    #expect(scene.backend.sent.count == 2)
    scene.clocks.advance(by: 1)
    await scene.backend.scripted.waitForCall(.refresh, count: 3)
    scene.backend.scripted.release(.refresh)
    _ = try await next.value
    #expect(!scene.backend.wasSpentTwice)
  }

  @Test func `while a token may be spent the back-off is short`() async throws {
    let scene = try await Scene()
    scene.backend.loseAnswers(24)
    for _ in 1...12 { _ = try? await scene.user.getIDToken(forcingRefresh: true) }
    let sent = scene.backend.sent.count
    scene.clocks.advance(by: 15)
    _ = try await scene.user.getIDToken()
    #expect(await comes { scene.backend.sent.count > sent })
  }

  // MARK: A crowd

  /// The backend does not say that it rotates; the session has shown it.
  @Test func `a token that is known to be spent is not sent without the lock`() async throws {
    let scene = try await Scene(RotatingBackend(saysSo: false))
    _ = try await scene.user.getIDToken(forcingRefresh: true)
    try await scene.auth.flush()
    let stopped = try await scene.store.lock()
    let token = Delivery { scene.user.getIDToken(forcingRefresh: true, completion: $0) }
    for _ in 1...50 {
      await scene.clocks.waitForSleeper(of: 0.1)
      scene.clocks.advance(by: 0.1)
    }
    #expect(await token.error?.code == .storeInUse)
    #expect(scene.backend.sent.count == 1)
    stopped?.release()
  }

  @Test func `a token that is known to be spent is not copied to another session`() async throws {
    let scene = try await Scene(RotatingBackend(saysSo: false))
    _ = try await scene.user.getIDToken(forcingRefresh: true)
    let other = Auth(.forTests(scene.backend, .memory, scene.clocks, seed: 2))
    let error = await #expect(throws: AuthError.self) { try await other.updateCurrentUser(scene.user) }
    #expect(error?.code == .operationNotAllowed)
  }

  @Test func `two programs on a store without a lock that refresh at once share the next token`() async throws {
    let backend = RotatingBackend(saysSo: false, hasGrace: true), store = WatchfulStore(), clocks = ManualClocks()
    let one = Auth(.forTests(backend, store, clocks))
    let user = try await one.createUser(withEmail: GatehouseTests.Scene.email, password: GatehouseTests.Scene.password)
      .user
    _ = try await user.getIDToken(forcingRefresh: true)
    try await one.flush()
    let other = Auth(.forTests(backend, store, clocks, seed: 2))
    try await other.ready()
    let users = [user, try #require(other.currentUser)]
    backend.scripted.hold(.refresh)
    let first = Delivery { users[0].getIDToken(forcingRefresh: true, completion: $0) }
    await backend.scripted.waitForCall(.refresh, count: 2)
    let second = Delivery { users[1].getIDToken(forcingRefresh: true, completion: $0) }
    await backend.scripted.waitForCall(.refresh, count: 3)
    // The first program stores what it gets over the note of the second, which has the spent token.
    backend.scripted.releaseOne(.refresh)
    _ = try await first.value
    try await one.flush()
    backend.scripted.release(.refresh)
    _ = try await second.value
    for user in users { _ = try await user.getIDToken(forcingRefresh: true) }
    #expect(backend.sent.dropFirst() == ["rotated-1", "rotated-1", "rotated-2", "rotated-3"])
    #expect(!backend.wasSpentTwice)
  }
}
