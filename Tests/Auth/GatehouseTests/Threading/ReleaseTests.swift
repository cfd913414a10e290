import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import Logging
import Testing

/// Rule 7: no object of the app's is released on the work queue.
struct ReleaseTests {
  @Test func `nothing that the app handed in is released on the work queue, and nothing leaks`() async throws {
    let census = Census()
    for _ in 0..<200 { try await Self.live(census) }
    await census.waitForEmpty()
    #expect(census.releasedOnWorkQueue == 0)
    #expect(census.made >= 200 * 8)
    #expect(census.locksTaken >= 200 && census.locksReleased == census.locksTaken, "each gave its store back")
  }

  /// Deadlines of a millisecond: they ring before, while and after the calls that they belong to go, and after the last
  /// reference to the `Auth` is gone.
  @Test func `nothing is released on the work queue when deadlines pass, and nothing leaks`() async throws {
    let census = Census()
    for number in 0..<400 {
      let auth = Self.auth(census) {
        $0.timeouts.call = .milliseconds(1)
        $0.timeouts.refresh = .milliseconds(1)
        $0.timeouts.store = .milliseconds(1)
      }
      auth.createUser(withEmail: Scene.email, password: Scene.password) { result in
        guard let user = try? result.get().user else { return }
        user.getIDToken(forcingRefresh: true) { _ in }
        user.updatePassword(to: "another", timeout: .zero) { _ in }
      }
      auth.signInAnonymously(timeout: number.isMultiple(of: 2) ? .zero : .microseconds(300)) { _ in }
      if number.isMultiple(of: 3) { try? await auth.ready() }
    }
    await census.waitForEmpty()
    #expect(census.releasedOnWorkQueue == 0)
  }

  /// The same for closures with an isolation of their own: what they hold dies on their actor, and so does the actor.
  @Test func `an isolated completion, its captures and its actor are not released on the work queue`() async throws {
    let census = Census()
    let (_, user) = try await Scene.signedIn()
    for _ in 0..<200 {
      await Owner(census.probe()).ask(user, census)
      await MainActor.run { [probe = census.probe()] in
        user.getIDToken { @MainActor _ in withExtendedLifetime(probe) {} }
      }
    }
    await census.waitForEmpty()
    #expect(census.releasedOnWorkQueue == 0)
    #expect(census.made == 200 * 3)
  }

  /// A short life: sign up, refresh, listen, change; then everything is let go of, in flight or not.
  private static func live(_ census: Census) async throws {
    let auth = auth(census) { $0.timeouts.call = .seconds(600) }
    let listener = census.probe()
    auth.addIDTokenDidChangeListener { _, _ in withExtendedLifetime(listener) {} }
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let completion = census.probe()
    user.getIDToken(forcingRefresh: true) { _ in withExtendedLifetime(completion) {} }
    user.reload { _ in }
    auth.refreshesAutomatically = true
  }
}

extension ReleaseTests {
  /// An `Auth` on a probe for each protocol that an app implements.
  private static func auth(_ census: Census, _ adjust: (inout Auth.Configuration) -> Void) -> Auth {
    var configuration = Auth.Configuration(
      backend: ProbedBackend(probe: census.probe()).adapted, store: ProbedStore(probe: census.probe(), census: census),
      callbackQueue: DispatchQueue(label: "test.callbacks"),
      clocks: ProbedClocks(census: census, probe: census.probe()),
      random: ProbedRandom(probe: census.probe()),
      logger: Logger(label: "test") { [probe = census.probe()] _ in ProbedLog(probe: probe) })
    adjust(&configuration)
    return Auth(configuration)
  }
}

/// An actor that asks, and is let go of.
private actor Owner {
  private let probe: Probe
  private var answers = 0
  init(_ probe: Probe) { self.probe = probe }

  func ask(_ user: User, _ census: Census) {
    let captured = census.probe()
    user.getIDToken { _ in
      self.answers += 1
      withExtendedLifetime(captured) {}
    }
  }
}

/// Counts probes, and where they are released.
private final class Census: Sendable {
  private struct State {
    var made = 0
    var alive = 0
    var onWorkQueue = 0
    var locksTaken = 0
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

  /// A lock of a store was taken.
  func noteLock() { state.withLock { $0.locksTaken += 1 } }

  /// A lock of a store was given back, here and now.
  func noteRelease() {
    let isOnWorkQueue = WorkQueue.executor.isCurrent
    state.withLock { state in
      state.locksReleased += 1
      if isOnWorkQueue { state.onWorkQueue += 1 }
    }
  }

  var locksTaken: Int { state.withLock { $0.locksTaken } }
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

private struct ProbedBackend: CallbackBackend {
  let probe: Probe
  let scripted = ScriptedBackend()
  var rotatesRefreshTokens: Bool { true }

  func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void) {
    Task { [self] in completion(await outcome { () throws(AuthError) in try await scripted.answer(call) }) }
  }
}

private struct ProbedRandom: RandomSource {
  let probe: Probe
  func next() -> UInt64 { SystemRandomSource().next() }
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
  func lock() async throws(AuthError) -> (any StoreLock)? {
    census.noteLock()
    return ProbedLock(probe: census.probe(), census: census)
  }
}

private struct ProbedLock: StoreLock {
  let probe: Probe
  let census: Census
  func release() { census.noteRelease() }
}

private struct ProbedClocks: Clocks {
  let census: Census
  let probe: Probe
  func now() -> ClockReading { SystemClocks().now() }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let inner = SystemClocks().wake(at: alarm, body)
    return AlarmCancellation { [probe = census.probe()] in withExtendedLifetime(probe) { inner.cancel() } }
  }
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
