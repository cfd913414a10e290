import Foundation
import Gatehouse
import GatehouseBase
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

struct TokenTests {
  @Test func `a fresh token costs no call`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let first = try await user.getIDToken()
    scene.clocks.advance(by: 3_299)
    #expect(try await user.getIDToken() == first)
    #expect(scene.backend.count(of: .refresh) == 0)
  }

  @Test func `a due token is refreshed, and stored`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let first = try await user.getIDToken()
    scene.clocks.advance(by: 3_301)
    let second = try await user.getIDToken()
    #expect(first != second)
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.tokens.idToken.revealed == second)
  }

  @Test func `a thousand who ask at once share one refresh`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let tokens = Task {
      await withTaskGroup(of: String?.self) { group in
        for _ in 0..<1_000 { group.addTask { try? await user.getIDToken() } }
        return await group.reduce(into: [String?]()) { $0.append($1) }
      }
    }
    await scene.backend.waitForCall(.refresh)
    scene.backend.release(.refresh)
    let all = await tokens.value
    #expect(all.count == 1_000 && Set(all).count == 1 && all[0] != nil)
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `sign-out beats a refresh in flight`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let token = Task { () throws(AuthError) in try await typed { try await user.getIDToken() } }
    await scene.backend.waitForCall(.refresh)
    try scene.auth.signOut()
    scene.backend.release(.refresh)
    let error = await #expect(throws: AuthError.self) { try await token.value }
    #expect(error?.code == .nullUser)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
    #expect(scene.auth.state == .signedOut(nil))
  }

  @Test func `a refresh of the user before does not reach the user after`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let late = Task { () throws(AuthError) in try await typed { try await ada.getIDToken() } }
    await scene.backend.waitForCall(.refresh)
    let bob = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    let bobsToken = try await bob.getIDToken()
    scene.backend.release(.refresh)
    let error = await #expect(throws: AuthError.self) { try await late.value }
    #expect(error?.code == .sessionEnded)
    #expect(try await bob.getIDToken() == bobsToken)
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.tokens.idToken.revealed == bobsToken)
  }

  @Test func `a forced refresh is not served by a request that was sent before it`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let unforced = Delivery { user.getIDToken(completion: $0) }
    await scene.backend.waitForCall(.refresh, count: 1)
    let forced = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    let sharing = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    #expect(scene.auth.currentUser == user)  // a synchronous call comes behind those
    scene.backend.releaseOne(.refresh)
    let first = try await unforced.value
    await scene.backend.waitForCall(.refresh, count: 2)
    scene.backend.release(.refresh)
    let second = try await forced.value
    #expect(first != second)
    #expect(try await sharing.value == second)
    #expect(scene.backend.count(of: .refresh) == 2)
  }

  @Test func `a refresh that ends after its deadline does not undo a later one`() async throws {
    let (scene, user) = try await Scene.signedIn { $0.timeouts.refresh = .seconds(5) }
    scene.clocks.advance(by: 3_590)
    scene.backend.hold(.refresh)
    let first = Task { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    await scene.backend.waitForCall(.refresh, count: 1)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    let error = await #expect(throws: AuthError.self) { try await first.value }
    #expect(error?.code == .deadlineExceeded)

    let second = Task { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    await scene.backend.waitForCall(.refresh, count: 2)
    scene.backend.releaseLast(.refresh)
    let newer = try await second.value
    scene.backend.release(.refresh)
    try await user.reload()
    #expect(try await user.getIDToken() == newer)
  }

  @Test func `after a refresh that never ends the next one begins`() async throws {
    let (scene, user) = try await Scene.signedIn { $0.timeouts.refresh = .seconds(5) }
    scene.clocks.advance(by: 3_700)
    scene.backend.hold(.refresh)
    let first = Task { () throws(AuthError) in try await typed { try await user.getIDToken() } }
    await scene.backend.waitForCall(.refresh, count: 1)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    await #expect(throws: AuthError.self) { try await first.value }
    // The provider is left alone for a moment; how long is drawn.
    let second = Task {
      while true {
        if let token = try? await user.getIDToken() { return token }
        scene.clocks.advance(by: 1)
      }
    }
    await scene.backend.waitForCall(.refresh, count: 2)
    scene.backend.releaseLast(.refresh)
    #expect(await second.value.isEmpty == false)
    scene.backend.release(.refresh)
  }

  @Test func `a fresh token of a session that has ended, or of a closed Auth, is not given out`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    try scene.auth.signOut()
    var error = await #expect(throws: AuthError.self) { try await ada.getIDToken() }
    #expect(error?.code == .nullUser)
    let (other, bob) = try await Scene.signedIn()
    try await other.auth.close()
    error = await #expect(throws: AuthError.self) { try await bob.getIDToken() }
    #expect(error?.code == .closed)
  }

  @Test func `a waiter who is cancelled is released at once, and the refresh goes on`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let impatient = Task { () throws(AuthError) in try await typed { try await user.getIDToken() } }
    let patient = Delivery { user.getIDToken(completion: $0) }
    await scene.backend.waitForCall(.refresh)
    impatient.cancel()
    let error = await #expect(throws: AuthError.self) { try await impatient.value }
    #expect(error?.code == .cancelled)
    scene.backend.release(.refresh)
    #expect(try await patient.value.isEmpty == false)
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `tokens that live two minutes do not loop`() async throws {
    let scene = Scene()
    scene.backend.tokenLifetime = .seconds(120)
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    for _ in 0..<100 { _ = try await user.getIDToken() }
    #expect(scene.backend.count(of: .refresh) == 0)
    scene.clocks.advance(by: 97)
    for _ in 0..<100 { _ = try await user.getIDToken() }
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test(arguments: [3_600.0, -3_600.0])
  func `a clock that is wrong all the time does not matter`(error: Double) async throws {
    let scene = Scene(clocks: ManualClocks(wall: 1_800_000_000 + error))
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    scene.clocks.advance(by: 3_000)
    _ = try await user.getIDToken()
    #expect(scene.backend.count(of: .refresh) == 0)
    scene.clocks.advance(by: 301)
    _ = try await user.getIDToken()
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `a clock that is set back does not make a token live longer`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.clocks.advance(by: 3_301)
    scene.clocks.setWall(1_800_000_000)
    _ = try await user.getIDToken()
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `a token that was received while the clock was two days ahead is replaced, once`() async throws {
    let clocks = ManualClocks(wall: 1_800_000_000 + 2 * 86_400)
    let scene = Scene(clocks: clocks)
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let early = try await user.getIDToken()
    clocks.setWall(1_800_000_000)
    let token = try await user.getIDToken()
    #expect(token != early)
    #expect(try await user.getIDToken() == token)
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `a stored token from the future is replaced by automatic refresh at once`() async throws {
    let clocks = ManualClocks(wall: 1_800_000_000 + 2 * 86_400)
    let before = Scene(clocks: clocks)
    _ = try await before.auth.createUser(withEmail: Scene.email, password: Scene.password)
    try await before.auth.close()
    clocks.setWall(1_800_000_000)
    let scene = Scene(backend: before.backend, store: before.store, clocks: clocks) {
      $0.refreshesAutomatically = true
    }
    #expect(await comes { scene.backend.count(of: .refresh) == 1 })
    #expect(await comes { scene.clocks.sleepers == 1 }, "the next refresh comes in its time")
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `while the provider fails the old token serves as long as it lives`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let old = try await user.getIDToken()
    scene.makeTokenDue()
    scene.backend.fail(.refresh, AuthError(.networkError, "no route"))
    #expect(try await user.getIDToken() == old)
    scene.backend.fail(.refresh, AuthError(.networkError, "no route"))
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .networkError)
  }

  @Test func `what the server says of waiting is kept, by forced calls too`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.clocks.advance(by: 3_700)
    scene.backend.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(60)))
    await #expect(throws: AuthError.self) { try await user.getIDToken() }
    scene.clocks.advance(by: 59)
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .tooManyRequests && error?.retryAfter == .seconds(1))
    #expect(scene.backend.count(of: .refresh) == 1)
    scene.clocks.advance(by: 1)
    #expect(try await user.getIDToken().isEmpty == false)
  }

  @Test(arguments: ["USER_DISABLED", "USER_NOT_FOUND", "TOKEN_EXPIRED", "INVALID_REFRESH_TOKEN"])
  func `an answer that only a person can mend ends the session with its reason`(word: String) async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    let reason = AuthError(server: word)
    scene.backend.fail(.refresh, reason)
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(error == reason)
    #expect(scene.auth.state == .signedOut(reason))
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `a token result tells what the token says`() async throws {
    let (_, user) = try await Scene.signedIn()
    let result = try await user.getIDTokenResult()
    #expect(result.token == (try await user.getIDToken()))
    #expect(result.claims["sub"]?.string == user.uid && result.signInProvider == "password")
    #expect(result.authDate == Date(timeIntervalSince1970: 1_800_000_000) && result.issuedAtDate == result.authDate)
    #expect(result.expirationDate == Date(timeIntervalSince1970: 1_800_003_600) && result.signInSecondFactor == nil)
    let delivered = Delivery { user.getIDTokenResult(completion: $0) }
    #expect(try await delivered.value == result)
  }

  @Test func `a refresh that cannot be stored still serves, and flush throws and then mends it`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    let full = AuthError(.storeFailed, "the disk is full")
    scene.store.fail(.write, with: full, times: 2)
    let token = try await user.getIDToken()
    let error = await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    #expect(error == full)
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.tokens.idToken.revealed == token)
  }

  @Test func `two Auths on one store share a refresh`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    scene.makeTokenDue()
    let token = try await user.getIDToken()
    try await scene.auth.flush()
    #expect(try await other.auth.currentUser?.getIDToken() == token)
    #expect(scene.backend.count(of: .refresh) == 1)
  }

  @Test func `a sign-out in one Auth ends the session in another when it refreshes`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    try other.auth.signOut()
    try await other.auth.flush()
    scene.makeTokenDue()
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(error?.code == .sessionEnded)
    #expect(scene.auth.currentUser == nil)
    #expect(scene.backend.count(of: .refresh) == 0)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }
}
