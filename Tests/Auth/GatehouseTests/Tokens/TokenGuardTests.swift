import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

/// Guards around refreshes that no other test noticed when they were taken out.
struct TokenGuardTests {
  private let down = AuthError(.networkError, "no route")

  @Test func `a caller whose own timeout came first gets no old token`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let impatient = Delivery { user.getIDToken(timeout: .seconds(5), completion: $0) }
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    let error = await #expect(throws: AuthError.self) { try await impatient.value }
    #expect(error?.code == .deadlineExceeded)
    scene.backend.release(.refresh)
  }

  @Test func `a forced call that joins a refresh makes it ask the server`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let other = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await other.auth.ready()
    scene.makeTokenDue()
    let others = try await other.auth.currentUser?.getIDToken()
    try await other.auth.flush()
    // The refresh has not been sent: it waits for the store, which holds the other's fresh token.
    scene.store.hold(.load)
    let unforced = Delivery { user.getIDToken(completion: $0) }
    await scene.store.waitUntilHeld(.load)
    let forced = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    #expect(scene.auth.currentUser == user)  // a synchronous call comes behind those
    scene.store.release(.load)
    #expect(try await forced.value != others)
    #expect(try await unforced.value == forced.value)
    #expect(scene.backend.count(of: .refresh) == 2)
  }

  @Test func `a success ends the back-off and forgets the failures before it`() async throws {
    let (scene, user) = try await Scene.signedIn()
    for _ in 1...8 {
      scene.backend.fail(.refresh, down)
      await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    }
    _ = try await user.getIDToken(forcingRefresh: true)
    scene.clocks.advance(by: 3_700)
    scene.backend.fail(.refresh, down)
    await #expect(throws: AuthError.self) { try await user.getIDToken() }
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(try #require(error?.retryAfter) <= .seconds(2), "the pause after one failure is two seconds at most")
  }

  @Test func `after a success automatic refresh waits until the new token is due`() async throws {
    let (log, lines) = RecordingLog.make()
    let (scene, user) = try await Scene.signedIn {
      $0.refreshesAutomatically = true
      $0.logger = log
    }
    scene.backend.fail(.refresh, down)
    var report = lines.makeAsyncIterator()
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    #expect(await report.next()?.contains("next attempt in") == true)
    await scene.clocks.waitForSleeper(within: 8)
    scene.clocks.advance(by: 8)
    await scene.backend.waitForCall(.refresh, count: 2)
    #expect(try await user.getIDToken(forcingRefresh: true).isEmpty == false)  // in turn behind that one
    let count = scene.backend.count(of: .refresh)
    #expect(await comes { scene.clocks.sleepers == 1 })
    scene.clocks.advance(by: 60)
    for _ in 1...5 { try await user.reload() }  // time enough for an alarm to do harm
    #expect(scene.backend.count(of: .refresh) == count)
  }
}
