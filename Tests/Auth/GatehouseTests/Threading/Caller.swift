import Foundation
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Logging
import TestSupport

/// Where a synchronous call can come from.
enum Caller: String, Codable, CaseIterable, Sendable {
  case mainThread, completionOnMain, listenerOnMain, store, backend, logHandler, clock
  case deinitOnWorkQueue, backgroundThread, task, detachedTask, customCallbackQueue

  /// Runs `call` from there, once, in a scene where Ada is signed in, and returns what it returned.
  func run(_ call: @escaping @Sendable (Auth, User) -> Bool) async throws(AuthError) -> Bool {
    let hook = Hook()
    let backend = ScriptedBackend()
    let store = FaultyStore(HookedStore(hook))
    let auth = Auth(
      Auth.Configuration(
        backend: backend, store: store,
        callbackQueue: self == .customCallbackQueue ? DispatchQueue(label: "test.callbacks") : .main,
        clocks: HookedClocks(hook),
        logger: Logger(label: "test") { _ in HookedLog(hook) }, timeouts: .patient))
    let user = try await typed { try await auth.createUser(withEmail: Scene.email, password: Scene.password).user }
    try await typed { try await auth.flush() }
    return await withCheckedContinuation { done in
      let answer = TakeOnce(done)
      let once: @Sendable () -> Void = { answer.take()?.resume(returning: call(auth, user)) }
      switch self {
      case .mainThread: Task { @MainActor in once() }
      case .completionOnMain, .customCallbackQueue: user.reload { _ in once() }
      case .listenerOnMain: auth.addStateDidChangeListener { _, _ in once() }
      case .backgroundThread: Thread.detachNewThread(once)
      case .task: Task { once() }
      case .detachedTask: Task.detached { once() }
      case .deinitOnWorkQueue: WorkQueue.async { _ = Probe(once) }
      case .store:
        hook.set(.store, once)
        user.getIDToken(forcingRefresh: true) { _ in }
      case .clock:
        hook.set(.clock, once)
        user.getIDToken(forcingRefresh: true) { _ in }
      case .backend:
        backend.onCall { _ in once() }
        user.reload { _ in }
      case .logHandler:
        hook.set(.log, once)
        store.fail(.write, with: AuthError(.storeFailed, "the disk is full"))
        user.getIDToken(forcingRefresh: true) { _ in }
      }
    }
  }
}

/// Code that runs inside what the app hands in.
final class Hook: Sendable {
  enum Place: Sendable { case store, clock, log }

  private let body = Lock<(Place, @Sendable () -> Void)?>(nil)

  func set(_ place: Place, _ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = (place, body) } }

  func run(_ place: Place) {
    guard let (wanted, body) = body.withLock({ $0 }), wanted == place else { return }
    body()
  }
}

private struct HookedStore: CredentialStore {
  let hook: Hook
  private let memory = MemoryCredentialStore()

  init(_ hook: Hook) { self.hook = hook }

  func load() async throws(AuthError) -> StoredSession? {
    hook.run(.store)
    return try await memory.load()
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    hook.run(.store)
    return try await memory.write(session, if: condition)
  }
}

private struct HookedClocks: Clocks {
  let hook: Hook
  init(_ hook: Hook) { self.hook = hook }

  func now() -> ClockReading {
    hook.run(.clock)
    return SystemClocks().now()
  }

  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    SystemClocks().wake(at: alarm, body)
  }
}

private struct HookedLog: LogHandler {
  let hook: Hook
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(_ hook: Hook) { self.hook = hook }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { hook.run(.log) }
}
