import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import Logging
import Testing

/// Rule 7: no object of the app's is released on the work queue.
@Suite struct ReleaseTests {
  @Test func `nothing that the app handed in is released on the work queue, and nothing leaks`() async throws {
    let census = Census()
    for _ in 0..<200 { try await Self.live(census) }
    await census.waitForEmpty()
    #expect(census.releasedOnWorkQueue == 0)
    #expect(census.made == 200 * 7)
    #expect(census.locksReleased == 200, "each gave its store back")
  }

  /// A short life: sign up, refresh, listen, change; then everything is let go of, in flight or not.
  private static func live(_ census: Census) async throws {
    let backend = ProbedBackend(probe: census.probe())
    let configuration = Auth.Configuration(
      backend: backend, store: ProbedStore(probe: census.probe(), census: census),
      callbackQueue: DispatchQueue(label: "test.callbacks"), clocks: ProbedClocks(probe: census.probe()),
      logger: Logger(label: "test") { [probe = census.probe()] _ in ProbedLog(probe: probe) })
    let auth = Auth(configuration)
    let listener = census.probe()
    auth.addIDTokenDidChangeListener { _, _ in withExtendedLifetime(listener) {} }
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let completion = census.probe()
    user.getIDToken(forcingRefresh: true) { _ in withExtendedLifetime(completion) {} }
    user.reload { _ in }
    auth.refreshesAutomatically = true
  }
}

/// Counts probes, and where they are released.
private final class Census: Sendable {
  private struct State {
    var made = 0
    var alive = 0
    var onWorkQueue = 0
    var locksReleased = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  func probe() -> Probe {
    state.withLock {
      $0.made += 1
      $0.alive += 1
    }
    return Probe { [self] in
      let isOnWorkQueue = WorkQueue.executor.isCurrent
      let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
        state.alive -= 1
        if isOnWorkQueue { state.onWorkQueue += 1 }
        guard state.alive == 0 else { return nil }
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
    }
  }

  /// A lock of a store was given back, here and now.
  func noteRelease() {
    let isOnWorkQueue = WorkQueue.executor.isCurrent
    state.withLock { state in
      state.locksReleased += 1
      if isOnWorkQueue { state.onWorkQueue += 1 }
    }
  }

  var locksReleased: Int { state.withLock { $0.locksReleased } }
  var made: Int { state.withLock { $0.made } }
  var releasedOnWorkQueue: Int { state.withLock { $0.onWorkQueue } }

  func waitForEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.alive > 0 { state.waiter = continuation }
        return state.alive == 0
      }
      if isEmpty { continuation.resume() }
    }
  }
}

private struct ProbedBackend: Backend {
  let probe: Probe
  let scripted = ScriptedBackend()
  var rotatesRefreshTokens: Bool { true }
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { try await scripted.answer(call) }
}

private struct ProbedStore: CredentialStore {
  let probe: Probe
  let census: Census
  let memory = MemoryCredentialStore()
  func load() async throws(AuthError) -> StoredSession? { try await memory.load() }
  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await memory.write(session, if: condition)
  }
}

extension ProbedStore {
  func lock() async throws(AuthError) -> (any StoreLock)? { ProbedLock(probe: census.probe(), census: census) }
}

private struct ProbedLock: StoreLock {
  let probe: Probe
  let census: Census
  func release() { census.noteRelease() }
}

private struct ProbedClocks: Clocks {
  let probe: Probe
  func now() -> ClockReading { SystemClocks().now() }
  func sleep(until alarm: Alarm) async { await SystemClocks().sleep(until: alarm) }
}

private struct ProbedLog: LogHandler {
  let probe: Probe
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace
  init(probe: Probe) { self.probe = probe }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
  func log(event: LogEvent) {}
}
