import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

/// Automatic refresh never loses its alarm, however a refresh ends.
struct AutoRefreshAlarmTests {
  private let busy = AuthError(.tooManyRequests, "slow down", retryAfter: .milliseconds(2_500))

  /// Lets time pass, a little at a time, until the provider has been asked for `count` refreshes. Each step waits for
  /// the store, as a refresh does, so that no deadline passes before the work that it guards.
  private func refreshes(_ count: Int, in scene: Scene, step: Double = 0.25) async -> Bool {
    await comes {
      if scene.backend.count(of: .refresh) >= count { return true }
      try? await scene.auth.flush()
      scene.clocks.advance(by: step)
      return false
    }
  }

  /// Whether a second refresh was sent, or the alarm for it was set. No time passes meanwhile.
  private func goesOn(_ scene: Scene) async -> Bool {
    let isSet = Lock(false)
    let alarm = Task {
      await scene.clocks.waitForSleeper(within: 1.5)
      if !Task.isCancelled { isSet.withLock { $0 = true } }
    }
    defer { alarm.cancel() }
    return await comes { isSet.withLock { $0 } || scene.backend.count(of: .refresh) == 2 }
  }

  // A refresh reads the clocks after it has read the store: while the store is held, the test chooses what it reads.

  @Test(arguments: [0.01, 0.25, 1], [0.0, 0.37])
  func `on coarse clocks it goes on after the server's pause`(step: Double, begin: Double) async throws {
    let clocks = ManualClocks(wall: 1_800_000_000 + begin, boot: 1_000 + begin)
    let scene = Scene(clocks: clocks) {
      $0.clocks = CoarseClocks(clocks: clocks, step: step)
      $0.refreshesAutomatically = true
    }
    scene.backend.fail(.refresh, busy)
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    await clocks.waitForSleepers(1)
    clocks.advance(by: 3_300)
    await scene.backend.waitForCall(.refresh)
    await clocks.waitForSleeper(within: 2.5)
    scene.store.hold(.load)
    clocks.advance(by: 2.5)
    await scene.store.waitUntilHeld(.load)
    scene.store.release(.load)
    #expect(await goesOn(scene))
    #expect(await refreshes(2, in: scene))
  }

  @Test(arguments: [-0.001, 0, 0.001])
  func `it goes on when a refresh begins about at the end of the server's pause`(early: Double) async throws {
    let (scene, _) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    scene.backend.fail(.refresh, busy)
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(within: 2.5)
    scene.store.hold(.load)
    let begin = scene.clocks.now()
    scene.clocks.advance(by: 2.5)
    await scene.store.waitUntilHeld(.load)
    scene.clocks.setWall(begin.wall + 2.5 + early)
    scene.clocks.setBoot(begin.boot + 2.5 + early)
    scene.store.release(.load)
    #expect(await goesOn(scene))
    #expect(await refreshes(2, in: scene))
  }

  @Test func `it goes on after a refresh that met its deadline`() async throws {
    let (scene, _) = try await Scene.signedIn {
      $0.refreshesAutomatically = true
      $0.timeouts.refresh = .seconds(5)
    }
    await scene.clocks.waitForSleepers(1)
    scene.backend.hold(.refresh)
    scene.clocks.advance(by: 3_300)
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(within: 5)
    scene.clocks.advance(by: 5)
    #expect(await refreshes(2, in: scene))
    scene.backend.release(.refresh)
  }

  @Test func `it goes on after a refresh whose deadline came before it was sent`() async throws {
    let (scene, _) = try await Scene.signedIn {
      $0.refreshesAutomatically = true
      $0.timeouts.refresh = .seconds(5)
    }
    await scene.clocks.waitForSleepers(1)
    scene.store.hold(.load)
    scene.clocks.advance(by: 3_300)
    await scene.store.waitUntilHeld(.load)
    await scene.clocks.waitForSleeper(within: 5)
    scene.clocks.advance(by: 5)
    scene.store.release(.load)
    #expect(await refreshes(1, in: scene))
  }

  @Test func `it goes on after it took another process's tokens`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let daemon = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks) {
      $0.refreshesAutomatically = true
    }
    try await daemon.auth.ready()
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 1_000)
    _ = try await user.getIDToken(forcingRefresh: true)
    try await scene.auth.flush()
    scene.clocks.advance(by: 2_300)  // the daemon's alarm; the new token is not due yet
    #expect(await refreshes(2, in: daemon, step: 50))
  }

  @Test func `it goes on after a refresh brought another user's tokens`() async throws {
    let backend = ScriptedBackend()
    let bob = try await backend.answer(SignUp(email: "bob@example.com", password: Secret("bob's horse")))
    let mistaken = MistakenBackend(backend)
    let (scene, _) = try await Scene.signedIn(backend: backend) {
      $0.backend = mistaken
      $0.refreshesAutomatically = true
    }
    mistaken.mistake(.refresh, for: bob)
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    #expect(await refreshes(2, in: scene))
  }

  @Test func `a refresh that finds the pause still in force sends nothing, and sets its alarm again`() async throws {
    let (scene, _) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    scene.backend.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(60)))
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(of: 60)
    // A refresh that comes before the last one has given the store's lock back keeps it, and reads once.
    var lock: (any StoreLock)?
    while lock == nil {
      await Task.yield()
      lock = try? await scene.store.lock()
    }
    lock?.release()
    let loads = scene.store.calls.count { $0 == .load }
    let begin = scene.clocks.now()
    scene.store.hold(.load)
    scene.clocks.advance(by: 60)
    await scene.store.waitUntilHeld(.load)
    scene.clocks.setWall(begin.wall)
    scene.clocks.setBoot(begin.boot)
    scene.store.release(.load)
    // Once without the lock, and once under it.
    #expect(await comes { scene.store.calls.count { $0 == .load } == loads + 2 })
    // No time passes: of three alarms only that of the next refresh is left.
    #expect(await comes { scene.clocks.sleepers == 1 })
    #expect(scene.store.calls.count { $0 == .load } == loads + 2)
    #expect(scene.backend.count(of: .refresh) == 1)
    #expect(await refreshes(2, in: scene, step: 5))
  }

  // MARK: Alarms that must go

  @Test(arguments: ["sign-out", "switched off", "close"])
  func `no alarm is left behind`(end: String) async throws {
    let (scene, _) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    await scene.clocks.waitForSleepers(1)
    switch end {
    case "sign-out": try scene.auth.signOut()
    case "close": try await scene.auth.close()
    default: scene.auth.refreshesAutomatically = false
    }
    #expect(await comes { scene.clocks.sleepers == 0 })
    scene.clocks.advance(by: 4_000)
    #expect(scene.backend.count(of: .refresh) == 0)
  }

  @Test func `a user switch leaves one alarm, and it is the new user's`() async throws {
    let (scene, ada) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    await scene.clocks.waitForSleepers(1)
    let bob = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    #expect(await comes { scene.clocks.sleepers == 1 })
    scene.clocks.advance(by: 3_300)
    await scene.backend.waitForCall(.refresh)
    try await bob.reload()
    #expect(scene.backend.count(of: .refresh) == 1)
    #expect(ada.refreshToken == nil)
  }

  @Test func `the alarm of a refresh's deadline goes when the refresh ends`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(of: 30)
    scene.backend.release(.refresh)
    _ = try await token.value
    #expect(await comes { scene.clocks.sleepers == 0 })
  }
}
