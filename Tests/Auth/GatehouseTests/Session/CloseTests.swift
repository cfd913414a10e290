import Gatehouse
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

struct CloseTests {
  @Test func `every close waits for the same end and hears of the same failure`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.store.hold(.write)
    _ = try await user.getIDToken(forcingRefresh: true)
    let full = AuthError(.storeFailed, "the disk is full")
    scene.store.fail(.write, with: full, times: 2)
    let first = Delivery { scene.auth.close(completion: $0) }
    let second = Delivery { scene.auth.close(completion: $0) }
    _ = scene.auth.state
    #expect(first.count == 0 && second.count == 0)
    scene.store.release(.write)
    for close in [first, second] {
      let error = await #expect(throws: AuthError.self) { try await close.value }
      #expect(error == full)
    }
    #expect(scene.auth.state == .closed)
  }

  @Test func `a close in a task that was cancelled closes all the same`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let token = try await user.getIDToken(forcingRefresh: true)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await scene.auth.close()
    }
    task.cancel()
    _ = await task.result
    try await scene.auth.close()
    #expect(scene.auth.state == .closed)
    #expect(try await scene.store.load()?.tokens.idToken.revealed == token)
  }

  @Test func `a close that is tired of a hung change stores what there is`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.lookup)
    let reload = Delivery { user.reload(completion: $0) }
    await scene.backend.waitForCall(.lookup, count: 2)
    let token = try await user.getIDToken(forcingRefresh: true)
    let close = Delivery { scene.auth.close(timeout: .seconds(7), completion: $0) }
    await scene.clocks.waitForSleeper(of: 7)
    scene.clocks.advance(by: 7)
    let error = await #expect(throws: AuthError.self) { try await close.value }
    #expect(error?.code == .deadlineExceeded)
    #expect(try await scene.store.load()?.tokens.idToken.revealed == token)
    scene.backend.release(.lookup)
    _ = await reload.result
  }

  @Test(arguments: [(7, 20), (20, 7)])
  func `each close waits until its own limit, whichever comes first`(first: Int, second: Int) async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    let refresh = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    let closes = [first, second].map { limit in
      (limit, Delivery { scene.auth.close(timeout: .seconds(limit), completion: $0) })
    }
    for (limit, _) in closes { await scene.clocks.waitForSleeper(of: Double(limit)) }
    scene.clocks.advance(by: 7)
    for (limit, close) in closes where limit == 7 {
      let error = await #expect(throws: AuthError.self) { try await close.value }
      #expect(error?.code == .deadlineExceeded)
    }
    for (limit, close) in closes where limit == 20 { #expect(close.count == 0) }
    #expect(scene.auth.state != .closed)
    scene.backend.release(.refresh)
    for (limit, close) in closes where limit == 20 { try await close.value }
    #expect(scene.auth.state == .closed)
    _ = await refresh.result
  }

  @Test func `a close that is tired of a slow store leaves the stored session alone, a sign-in under way or not`()
    async throws
  {
    let scene = Scene()
    _ = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password)
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    scene.store.hold(.write)
    let bob = Task { try await scene.auth.signIn(withEmail: "bob@example.com", password: Scene.password) }
    await scene.store.waitUntilHeld(.write)
    let close = Delivery { scene.auth.close(timeout: .seconds(7), completion: $0) }
    await #expect(throws: AuthError.self) { try await bob.value }
    while close.count == 0 {
      scene.clocks.advance(by: 7)
      await Task.yield()
    }
    let error = await #expect(throws: AuthError.self) { try await close.value }
    #expect(error?.code == .deadlineExceeded)
    #expect(scene.auth.state == .closed)
    scene.store.release(.write)
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.profile.uid == ada.uid)
  }

  @Test(.endsIfItHangs)
  func `a close releases those who wait for the stored session`() async throws {
    let store = FaultyStore()
    store.hold(.load)
    let scene = Scene(store: store)
    let ready = Delivery { scene.auth.ready(completion: $0) }
    let close = Delivery { scene.auth.close(completion: $0) }
    // The store hangs, and ready() does not.
    let error = await #expect(throws: AuthError.self) { try await ready.value }
    #expect(error?.code == .closed)
    store.release(.load)
    try await close.value
  }
}
