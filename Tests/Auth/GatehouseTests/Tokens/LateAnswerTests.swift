import Gatehouse
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

/// Answers that come late, or to a token that is not the latest any more, end nothing.
struct LateAnswerTests {
  @Test func `a refusal that comes after a later refresh has succeeded ends nothing`() async throws {
    let (scene, user) = try await Scene.signedIn { $0.timeouts.refresh = .seconds(5) }
    scene.clocks.advance(by: 3_700)
    scene.backend.hold(.refresh)
    let first = Delivery { user.getIDToken(completion: $0) }
    await scene.backend.waitForCall(.refresh, count: 1)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    await #expect(throws: AuthError.self) { try await first.value }
    let second = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh, count: 2)
    scene.backend.releaseLast(.refresh)
    let token = try await second.value
    scene.backend.fail(.refresh, AuthError(server: "TOKEN_EXPIRED"))
    scene.backend.release(.refresh)
    try await user.reload()
    #expect(scene.auth.currentUser == user)
    #expect(try await user.getIDToken() == token)
  }

  @Test func `a refusal of an old token adopts what another process has stored`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    scene.clocks.advance(by: 10)
    try await other.auth.currentUser?.updatePassword(to: "battery staple")
    try await other.auth.flush()
    scene.backend.fail(.lookup, AuthError(server: "TOKEN_EXPIRED"))
    try await user.reload()
    #expect(scene.auth.currentUser == user)
    #expect(user.refreshToken == other.auth.currentUser?.refreshToken)
    #expect(try await scene.store.load() != nil)
  }

  @Test func `a refused refresh looks again for what another process has stored meanwhile`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    scene.backend.hold(.refresh)
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    scene.clocks.advance(by: 10)
    try await other.auth.currentUser?.updatePassword(to: "battery staple")
    try await other.auth.flush()
    scene.backend.fail(.refresh, AuthError(server: "TOKEN_EXPIRED"))
    scene.backend.release(.refresh)
    #expect(try await token.value.isEmpty == false)
    #expect(scene.auth.currentUser == user && scene.backend.count(of: .refresh) == 2)
  }

  @Test func `a refresh that ends after another process has signed out stores nothing, and ends`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    scene.backend.hold(.refresh)
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    try other.auth.signOut()
    try await other.auth.flush()
    scene.backend.release(.refresh)
    _ = await token.result
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
    var changes = scene.auth.authStateChanges.makeAsyncIterator()
    while let change = await changes.next(), change != nil {}
    #expect(scene.auth.currentUser == nil)
  }

  @Test func `an ID token that is refused is refreshed once, and the call made again`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.fail(.update, AuthError(server: "TOKEN_EXPIRED"))
    let request = user.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()
    #expect(user.displayName == "Ada")
    #expect(scene.backend.count(of: .refresh) == 1 && scene.backend.count(of: .update) == 2)
  }

  @Test func `of two processes that change a session at once the later tokens are kept and stored`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    let others = try #require(other.auth.currentUser)
    // The other's change of profile is stored while this one's password change is under way.
    scene.backend.hold(.update)
    scene.clocks.advance(by: 10)
    let password = Delivery { user.updatePassword(to: "battery staple", completion: $0) }
    await scene.backend.waitForCall(.update)
    scene.backend.change(user.uid) { $0.photoUrl = "p" }
    try await others.reload()
    try await other.auth.flush()
    scene.backend.release(.update)
    try await password.value
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.tokens.refreshToken.revealed == user.refreshToken)
    #expect(try await scene.store.load()?.profile.photoURL == "p")
    #expect(try await others.getIDToken(forcingRefresh: true).isEmpty == false)
    #expect(other.auth.currentUser == others)
  }

  @Test func `while a hung provider holds a refresh up the old token serves, and the provider is left alone`()
    async throws
  {
    let (scene, user) = try await Scene.signedIn { $0.timeouts.refresh = .seconds(5) }
    let old = try await user.getIDToken()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let first = Delivery { user.getIDToken(completion: $0) }
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    #expect(try await first.value == old)
    scene.backend.release(.refresh)
  }

  @Test func `a forced refresh behind one that the server put off is put off too`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    let first = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    let second = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    #expect(scene.auth.currentUser == user)
    scene.backend.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(60)))
    scene.backend.release(.refresh)
    await #expect(throws: AuthError.self) { try await first.value }
    let error = await #expect(throws: AuthError.self) { try await second.value }
    #expect(error?.code == .tooManyRequests)
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `a stored session that counts more changes than there can be is damage, not a storm`() async throws {
    let (before, _) = try await Scene.signedIn()
    var stored = try #require(try await before.store.load())
    stored.generation = .max
    _ = try await before.store.write(stored, if: .always)
    let scene = Scene(backend: before.backend, store: before.store, clocks: before.clocks)
    let error = await #expect(throws: AuthError.self) { try await scene.auth.ready() }
    #expect(error?.code == .storeDamaged)
  }
}
