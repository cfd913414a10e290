import Dispatch
import Foundation
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Logging
import TestSupport
import Testing

/// Rule 10: whatever of the app's code hangs, each call ends by its deadline, other `Auth`s answer at once, and
/// `signOut()` and `close()` return.
///
/// `BothForms.all` has every public asynchronous call; `ContractTests` fails when one is missing there.
struct EveryCallEndsTests {
  /// The code of the app's that hangs.
  enum Hanging: String, Codable, CaseIterable, Sendable {
    case silentStore, blockedStore, silentBackend, blockedBackend, blockedTransport, blockedLog
  }

  @Test(arguments: Hanging.allCases)
  func `each call ends by its deadline, and no other Auth waits`(hanging: Hanging) async {
    await #expect(processExitsWith: .success) { [hanging] in
      endIfItHangs()
      for call in BothForms.all {
        let scene = try await HangingScene(hanging, for: call)
        let deadlines = await scene.deadlines { ended in call.completing(scene.stage) { _ in ended() } }
        // A close waits for the calls in flight, for the writes, and for the release of the store's lock.
        precondition(deadlines <= (call.name == "Auth.close()" ? 3 : 1), "\(call.name): \(deadlines) deadlines")
        try await HangingScene.askAnother()
        try? scene.stage.auth.signOut()
        _ = await scene.close()
        scene.obstacle.lift()
      }
    }
  }

  @Test func `with a dead clock no other Auth waits, and a sign-out and a close return`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for call in BothForms.all {
        let scene = try await HangingScene(for: call, deadClock: true)
        // On a thread of its own: a call reads its `Auth`'s clock where it is made.
        Thread.detachNewThread { [stage = scene.stage] in call.completing(stage) { _ in } }
        try await HangingScene.askAnother()
        try? scene.stage.auth.signOut()
        _ = await Delivery { scene.stage.auth.close(timeout: .milliseconds(1), completion: $0) }.result
        scene.obstacle.lift()
      }
    }
  }
}

/// A signed-in user of an `Auth`, a part of which hangs.
private struct HangingScene {
  /// The deadline of a call, which no other alarm has.
  static let seconds = 7

  let obstacle = Obstacle()
  let clocks = ManualClocks()
  let stage: BothForms.Stage

  init(_ hanging: EveryCallEndsTests.Hanging? = nil, for call: BothForms, deadClock: Bool = false) async throws {
    let scripted = ScriptedBackend()
    let store = HangingStore(obstacle: obstacle, hanging: hanging)
    var configuration = Auth.Configuration(
      backend: HangingBackend(scripted: scripted, obstacle: obstacle, hanging: hanging), store: store,
      callbackQueue: DispatchQueue(label: "test.callbacks"),
      clocks: deadClock ? DeadClocks(clocks: clocks, obstacle: obstacle) : clocks,
      random: SeededRandomSource(seed: 1),
      logger: Logger(label: "test") { [obstacle] _ in HangingLog(obstacle: hanging == .blockedLog ? obstacle : nil) })
    configuration.timeouts.call = .seconds(600)
    configuration.timeouts.store = .seconds(600)
    // One call has no timeout of its own.
    configuration.timeouts.refresh = .seconds(call.name == "User.idTokenForcingRefresh(_:)" ? Self.seconds : 600)
    let auth = Auth(configuration)
    var stage = try await BothForms.Stage.signedIn(to: auth, scripted)
    stage.timeout = .seconds(Self.seconds)
    self.stage = stage
    if hanging == .blockedLog { store.fails.withLock { $0 = true } }  // so that there is something to log
    obstacle.rise()
  }

  /// Makes a call, lets deadlines pass until it has ended, and returns how many did.
  func deadlines(of call: (_ ended: @escaping @Sendable () -> Void) -> Void) async -> Int {
    clocks.advance(by: .milliseconds(500))  // alarms that were cancelled, and are not removed yet, do not match now
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    call { end.yield(true) }
    var events = ends.makeAsyncIterator()
    var count = 0
    while true {
      let alarm = Task {
        await clocks.waitForSleeper(of: .seconds(Self.seconds))
        if !Task.isCancelled { end.yield(false) }
      }
      defer { alarm.cancel() }
      if await events.next() != false { return count }
      count += 1
      clocks.advance(by: .seconds(Self.seconds))
    }
  }

  func close() async -> Int {
    await deadlines { ended in stage.auth.close(timeout: stage.timeout) { @Sendable _ in ended() } }
  }

  /// Makes calls of an `Auth` of its own, whose clocks stand still.
  static func askAnother() async throws {
    let (scene, user) = try await Scene.signedIn()
    _ = try await user.getIDToken(forcingRefresh: true)
    _ = await Delivery { user.getIDTokenResult(completion: $0) }.result
    try await scene.auth.flush()
  }
}

/// The obstacle at which calls hang while it is up.
private final class Obstacle: Sendable {
  private struct State: Sendable {
    var isUp = false
    var silent: [CheckedContinuation<Void, Never>] = []
    var blocked: [DispatchSemaphore] = []
  }

  private let state = Lock(State())

  func rise() { state.withLock { $0.isUp = true } }

  func lift() {
    let old = state.withLock { state in
      defer { state = State() }
      return state
    }
    for call in old.silent { call.resume() }
    for call in old.blocked { call.signal() }
  }

  /// Does not answer, cancelled or not.
  func wait() async {
    await withCheckedContinuation { call in
      let goesOn = state.withLock { state in
        if state.isUp { state.silent.append(call) }
        return !state.isUp
      }
      if goesOn { call.resume() }
    }
  }

  /// Blocks the calling thread.
  func block() {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      guard state.isUp else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.blocked.append(semaphore)
      return semaphore
    }
    semaphore?.wait()
  }
}

private struct HangingBackend: Backend {
  let scripted: ScriptedBackend
  let obstacle: Obstacle
  let hanging: EveryCallEndsTests.Hanging?

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    switch hanging {
    case .silentBackend: await obstacle.wait()
    case .blockedBackend: obstacle.block()
    // As `RESTBackend` calls its transport.
    case .blockedTransport: await Background.runToTheEnd { obstacle.block() }
    default: break
    }
    return try await scripted.answer(call)
  }
}

private final class HangingStore: CredentialStore, UserShelf {
  private let memory = MemoryCredentialStore(keepsUsers: true)
  private let obstacle: Obstacle
  private let hanging: EveryCallEndsTests.Hanging?
  let fails = Lock(false)

  init(obstacle: Obstacle, hanging: EveryCallEndsTests.Hanging?) {
    self.obstacle = obstacle
    self.hanging = hanging
  }

  private func hang() async throws(AuthError) {
    if hanging == .silentStore { await obstacle.wait() }
    if hanging == .blockedStore { obstacle.block() }
    if fails.withLock({ $0 }) { throw AuthError(.storeFailed, "the disk is full") }
  }

  func load() async throws(AuthError) -> StoredSession? {
    try await hang()
    return try await memory.load()
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await hang()
    return try await memory.write(session, if: condition)
  }

  var shelf: (any UserShelf)? { self }

  func sessions() async throws(AuthError) -> SessionShelf {
    try await hang()
    guard let shelf = memory.shelf else { throw AuthError(.storeFailed, "no shelf") }
    return try await shelf.sessions()
  }

  func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    try await hang()
    return try await memory.shelf?.replace(known, by: new) ?? false
  }
}

/// Clocks that never return.
private struct DeadClocks: Clocks {
  let clocks: ManualClocks
  let obstacle: Obstacle

  func now() -> ClockReading {
    obstacle.block()
    return clocks.now()
  }

  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    obstacle.block()
    return clocks.wake(at: alarm, body)
  }
}

private struct HangingLog: LogHandler {
  let obstacle: Obstacle?
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(obstacle: Obstacle?) { self.obstacle = obstacle }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { obstacle?.block() }
}
