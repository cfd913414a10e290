import Gatehouse
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Logging
import TestSupport
import Testing

struct AutoRefreshTests {
  @Test func `a token is refreshed ahead of its expiry, again and again`() async throws {
    let (scene, user) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    var tokens = [try await user.getIDToken()]
    for round in 1...3 {
      await scene.clocks.waitForSleepers(1)
      scene.clocks.advance(by: 3_300)
      await scene.backend.waitForCall(.refresh, count: round)
      var changes = scene.auth.idTokenChanges.makeAsyncIterator()
      repeat { tokens.append(try await user.getIDToken()) } while tokens.last == tokens.dropLast().last
      _ = await changes.next()
    }
    #expect(Set(tokens).count >= 4)
  }

  @Test func `it is off unless it is switched on`() async throws {
    let (scene, _) = try await Scene.signedIn()
    scene.clocks.advance(by: 3_500)
    #expect(scene.clocks.sleepers == 0)
    scene.auth.refreshesAutomatically = true
    await scene.backend.waitForCall(.refresh)
  }

  @Test func `switched off, it stops`() async throws {
    let (scene, _) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    await scene.clocks.waitForSleepers(1)
    scene.auth.refreshesAutomatically = false
    while scene.clocks.sleepers > 0 { await Task.yield() }
    scene.clocks.advance(by: 4_000)
    try await scene.auth.flush()
    #expect(scene.backend.count(of: .refresh) == 0)
  }

  @Test func `a step of the wall clock wakes it`() async throws {
    let (scene, _) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    await scene.clocks.waitForSleepers(1)
    scene.clocks.setWall(1_800_000_000 + 3_400)
    await scene.backend.waitForCall(.refresh)
  }

  @Test func `while the provider fails it backs off, and goes on when it answers`() async throws {
    let (log, lines) = RecordingLog.make()
    let (scene, user) = try await Scene.signedIn {
      $0.refreshesAutomatically = true
      $0.logger = log
    }
    let old = try await user.getIDToken()
    let down = AuthError(.networkError, "no route")
    scene.backend.fail(.refresh, down, down, down)
    var report = lines.makeAsyncIterator()
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    // Whenever a sleeper wakes that soon: one for the next attempt may be taken back for a later one, so that a jump
    // for each line is not enough. Those of the deadlines of what has failed may not have gone yet; they are further
    // away.
    let time = Task {
      while !Task.isCancelled {
        await scene.clocks.waitForSleeper(within: 8)
        if !Task.isCancelled { scene.clocks.advance(by: 16) }
      }
    }
    var failures = 0
    while failures < 3 {
      let line = try #require(await report.next())
      // On a busy machine the log may have others, of callbacks that wait for the main queue.
      guard line.contains("no route") else { continue }
      #expect(line.contains("next attempt in"))
      failures += 1
    }
    await scene.backend.waitForCall(.refresh, count: 4)
    time.cancel()
    var changes = scene.auth.idTokenChanges.makeAsyncIterator()
    _ = await changes.next()
    while try await user.getIDToken() == old { _ = await changes.next() }
  }

  @Test func `a refresh that fails while Auth closes announces no next attempt`() async throws {
    let (log, lines) = RecordingLog.make()
    let (scene, _) = try await Scene.signedIn {
      $0.refreshesAutomatically = true
      $0.logger = log
    }
    scene.backend.fail(.refresh, AuthError(.networkError, "no route"))
    scene.backend.hold(.refresh)
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    await scene.backend.waitForCall(.refresh)
    let close = Delivery { scene.auth.close(completion: $0) }
    _ = scene.auth.state  // the closing has begun
    scene.backend.release(.refresh)
    try await close.value
    log.warning("closed")
    var report = lines.makeAsyncIterator()
    #expect(await report.next() == "closed")
  }

  @Test(.endsIfItHangs)
  func `tokens that live a second are refreshed every ten seconds at most`() async throws {
    let scene = Scene { $0.refreshesAutomatically = true }
    scene.backend.tokenLifetime = .seconds(1)
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    await scene.clocks.waitForSleeper(of: 10)
    scene.clocks.advance(by: 9)
    await scene.clocks.waitForSleeper(of: 1)
    #expect(scene.backend.count(of: .refresh) == 0)
    scene.clocks.advance(by: 1)
    await scene.backend.waitForCall(.refresh)
  }

  @Test func `a session that a person must mend ends, and no alarm is left`() async throws {
    let (scene, _) = try await Scene.signedIn { $0.refreshesAutomatically = true }
    scene.backend.fail(.refresh, AuthError(server: "USER_DISABLED"))
    var changes = scene.auth.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    await scene.clocks.waitForSleepers(1)
    scene.clocks.advance(by: 3_300)
    #expect(await changes.next() == .some(nil))
    #expect(scene.auth.state == .signedOut(AuthError(server: "USER_DISABLED")))
  }

  @Test func `what another process has refreshed is not refreshed again`() async throws {
    let (scene, _) = try await Scene.signedIn()
    let daemon = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks) {
      $0.refreshesAutomatically = true
    }
    try await daemon.auth.ready()
    await scene.clocks.waitForSleepers(1)
    let token = try await scene.auth.currentUser?.getIDToken(forcingRefresh: true)
    try await scene.auth.flush()
    var changes = daemon.auth.idTokenChanges.makeAsyncIterator()
    _ = await changes.next()
    scene.clocks.setWall(1_800_000_000 + 3_290)  // the daemon's alarm; the new token is as old, but not due
    let seen = await changes.next()
    #expect(try await seen??.getIDToken() == token)
    #expect(scene.backend.count(of: .refresh) == 1)
  }
}
