import Gatehouse
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// Numbers that clocks, servers and callers may come with, however odd, stop no process.
struct OddNumbersTests {
  static let numbers = [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e19, -1e19, .leastNonzeroMagnitude, -0.0]

  /// Sets both clocks, so that not even the longer of their ages makes sense.
  private static func set(_ clocks: ManualClocks, to number: Double) {
    clocks.setWall(number)
    clocks.setBoot(number)
  }

  @Test func `clocks that show any number during a back-off stop nothing`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for number in OddNumbersTests.numbers {
        for retryAfter in [nil, Duration.seconds(60), .seconds(-60), .seconds(Int64.max), .seconds(Int64.min)] {
          let (scene, user) = try await Scene.signedIn()
          scene.clocks.advance(by: 3_700)
          scene.backend.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: retryAfter))
          _ = try? await user.getIDToken()
          OddNumbersTests.set(scene.clocks, to: number)
          _ = try? await user.getIDToken()
          _ = try? await user.getIDToken(forcingRefresh: true)
        }
      }
    }
  }

  @Test func `clocks that show any number stop no automatic refresh and no sign-in`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for number in OddNumbersTests.numbers {
        let clocks = ManualClocks()
        let scene = Scene(clocks: clocks) { $0.refreshesAutomatically = true }
        scene.backend.fail(.refresh, AuthError(.networkError, "no route"))
        OddNumbersTests.set(clocks, to: number)
        _ = try? await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
        OddNumbersTests.set(clocks, to: 1_000)
        _ = try? await scene.auth.currentUser?.getIDToken(forcingRefresh: true)
        OddNumbersTests.set(clocks, to: number)
        _ = try? await scene.auth.currentUser?.getIDToken(forcingRefresh: true)
        scene.auth.refreshesAutomatically = false
        scene.auth.refreshesAutomatically = true
        _ = try? await scene.auth.flush()
      }
    }
  }

  @Test func `a pause that an earlier clock meets is not longer than it was`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.clocks.advance(by: 3_700)
    scene.backend.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(60)))
    await #expect(throws: AuthError.self) { try await user.getIDToken() }
    Self.set(scene.clocks, to: -1e9)
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    #expect(error?.retryAfter == .seconds(60))
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func `tokens of any life are taken, and do not loop`(lifetime: Int64) async throws {
    let scene = Scene { $0.refreshesAutomatically = true }
    scene.backend.tokenLifetime = .seconds(lifetime)
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    await scene.clocks.waitForSleepers(1)
    #expect(try await user.getIDToken().isEmpty == false)
    #expect(scene.backend.count(of: .refresh) <= 1)
  }

  @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1)])
  func `a timeout that has passed already ends the call`(timeout: Duration) async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    let refresh = Delivery { user.getIDToken(forcingRefresh: true, timeout: timeout, completion: $0) }
    scene.backend.hold(.lookup)
    let reload = Delivery { user.reload(timeout: timeout, completion: $0) }
    scene.backend.hold(.signIn)
    let signIn = Delivery {
      scene.auth.signIn(withEmail: Scene.email, password: Scene.password, timeout: timeout, completion: $0)
    }
    // The calls set alarms of several lengths, so that counting them tells nothing: time goes on until all three end.
    let time = Task {
      while timeout > .zero, !Task.isCancelled {
        scene.clocks.advance(by: 1e-3)
        await Task.yield()
      }
    }
    defer { time.cancel() }
    for code in [
      await refresh.result.failure?.code, await reload.result.failure?.code, await signIn.result.failure?.code,
    ] {
      #expect(code == .deadlineExceeded)
    }
    #expect(scene.auth.currentUser == user)
    for kind in [ScriptedBackend.Kind.refresh, .lookup, .signIn] { scene.backend.release(kind) }
  }

  @Test func `a timeout for ever is one`() async throws {
    let forever = Duration.seconds(Int64.max)
    let scene = Scene {
      $0.timeouts.call = forever
      $0.timeouts.refresh = forever
      $0.timeouts.store = forever
    }
    let user = try await scene.auth.createUser(
      withEmail: Scene.email, password: Scene.password, timeout: forever
    ).user
    #expect(try await user.getIDToken(forcingRefresh: true, timeout: forever).isEmpty == false)
    try await user.reload(timeout: forever)
    try await scene.auth.flush(timeout: forever)
    try await scene.auth.close(timeout: forever)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
