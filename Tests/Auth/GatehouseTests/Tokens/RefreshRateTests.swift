import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

/// No history of answers lets one session ask more often than four times in four seconds, unless it is forced. The
/// programs of this suite ask for a token whenever they hear of one.
@Suite(.endsIfItHangs) struct `The rate of refreshes` {
  /// A scene whose refreshes are recorded, with the times of its clocks.
  private struct Recorded {
    let scene: Scene
    let user: User
    private let requests: Lock<[Double]>

    /// - Parameter history: called before each refresh is answered; it decides on the answer.
    init(automatic: Bool, _ history: @escaping @Sendable (ScriptedBackend) -> Void) async throws {
      let requests = Lock<[Double]>([])
      let backend = ScriptedBackend()
      let (scene, user) = try await Scene.signedIn(backend: backend) { $0.refreshesAutomatically = automatic }
      backend.onCall { [weak backend, clocks = scene.clocks] kind in
        guard kind == .refresh, let backend else { return }
        history(backend)
        requests.withLock { $0.append(clocks.now().boot) }
      }
      (self.scene, self.user, self.requests) = (scene, user, requests)
    }

    /// Lets time pass until the session has been refreshed so often, and returns the times.
    func times(ofRefreshes count: Int) async -> [Double] {
      scene.makeTokenDue()
      let calls = Lock(0)
      while requests.withLock({ $0.count }) < count {
        // A caller beside the listeners: a listener hears of no failure.
        if calls.withLock({ $0 == 0 }) {
          calls.withLock { $0 += 1 }
          user.getIDToken { _ in calls.withLock { $0 -= 1 } }
        }
        scene.clocks.advance(by: 0.5)
        await scene.streamsAreIdle()
      }
      return requests.withLock { $0 }
    }
  }

  /// The most requests of any four seconds.
  private static func maximum(in times: [Double]) -> Int {
    times.map { begin in times.count { $0 >= begin && $0 < begin + 4 } }.max() ?? 0
  }

  @Test(arguments: [0, 1, 30], [false, true])
  func `a loop that asks for each new token is not faster, however short the tokens live`(
    life: Int, automatic: Bool
  ) async throws {
    let recorded = try await Recorded(automatic: automatic) { $0.tokenLifetime = .seconds(life) }
    let (auth, user) = (recorded.scene.auth, recorded.user)
    let loop = Task { for await user in auth.idTokenChanges { _ = try? await user?.getIDToken() } }
    let listener = auth.addIDTokenDidChangeListener { _, _ in user.getIDToken { _ in } }
    let times = await recorded.times(ofRefreshes: 20)
    #expect(Self.maximum(in: times) <= 4)
    loop.cancel()
    auth.removeIDTokenDidChangeListener(listener)
  }

  @Test(arguments: 1...6) func `no history of answers makes a session faster`(seed: Int) async throws {
    let random = SeededRandomSource(seed: UInt64(seed))
    let recorded = try await Recorded(automatic: seed.isMultiple(of: 2)) { backend in
      backend.tokenLifetime = .seconds([0, 0, 1, 5, 30][Int(random.unit() * 5)])
      switch Int(random.unit() * 6) {
      case 0: backend.fail(.refresh, AuthError(.networkError, "no way"))
      case 1: backend.fail(.refresh, AuthError(.tooManyRequests, "later", retryAfter: .milliseconds(100)))
      default: break
      }
    }
    let user = recorded.user
    let listener = recorded.scene.auth.addIDTokenDidChangeListener { _, _ in user.getIDToken { _ in } }
    let times = await recorded.times(ofRefreshes: 40)
    #expect(Self.maximum(in: times) <= 4)
    recorded.scene.auth.removeIDTokenDidChangeListener(listener)
  }

  @Test func `a forced refresh does not wait, and releases one that does`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.tokenLifetime = .zero
    scene.makeTokenDue()
    for _ in 1...4 { _ = try await user.getIDToken() }
    let waiting = Task { try await user.getIDToken() }
    await scene.clocks.waitForSleeper(within: .seconds(4))
    #expect(scene.backend.count(of: .refresh) == 4)
    _ = try await user.getIDToken(forcingRefresh: true)
    _ = try await waiting.value
    #expect(scene.backend.count(of: .refresh) == 5)
    // The next one waits until the first of the last four is four seconds old.
    let late = Task { try await user.getIDToken() }
    await scene.clocks.waitForSleeper(within: .seconds(4))
    scene.clocks.advance(by: 4)
    _ = try await late.value
    #expect(scene.backend.count(of: .refresh) == 6)
  }

  @Test func `a sign-out does not wait for a refresh that waits`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.tokenLifetime = .zero
    scene.makeTokenDue()
    for _ in 1...4 { _ = try await user.getIDToken() }
    let waiting = Task { try await user.getIDToken() }
    await scene.clocks.waitForSleeper(within: .seconds(4))
    try scene.auth.signOut()
    await #expect(throws: AuthError.self) { try await waiting.value }
    try await scene.auth.close()
  }
}
