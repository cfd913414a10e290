import Dispatch
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import Testing

/// Every asynchronous call, in both forms, on every path: it ends, once.
struct EveryPathTests {
  enum Path: String, CaseIterable, Sendable {
    case good, failingBackend, failingStore, timeout, closed, cancelled, signedOut
  }

  @Test(arguments: BothForms.all, Path.allCases)
  func `a call ends once, in both forms`(call: BothForms, path: Path) async throws {
    // Takes no timeout: it waits as long as a refresh may take, and these clocks stand still.
    if path == .timeout, call.name == "User.idTokenForcingRefresh(_:)" { return }
    let first = try await Self.stage(path)
    await Self.await(call, first.stage, path)
    let second = try await Self.stage(path)
    let ends = Ends()
    call.completing(second.stage) { ends.note($0) }
    let error = await ends.first
    if path == .closed, !["Auth.close()", "Auth.flush()"].contains(call.name) {
      #expect(error?.code == .closed, "\(call.name)")
    }
    // All that the call has left behind has had its turn: a second end would have come.
    second.backend.goOn()
    _ = try? await second.stage.auth.close()
    await withCheckedContinuation { done in second.callbacks.async { done.resume() } }
    #expect(ends.count == 1, "\(call.name)")
  }

  private static func await(_ call: BothForms, _ stage: BothForms.Stage, _ path: Path) async {
    let task = Task { () -> AuthError? in
      if path == .cancelled { while !Task.isCancelled { await Task.yield() } }
      do { try await call.awaiting(stage) } catch { return error as? AuthError }
      return nil
    }
    if path == .cancelled { task.cancel() }
    let error = await task.value
    if path == .closed, !["Auth.close()", "Auth.flush()"].contains(call.name) {
      #expect(error?.code == .closed, "\(call.name)")
    }
  }

  /// A user who is signed in, and what stands in the way of the call.
  private static func stage(
    _ path: Path
  ) async throws -> (stage: BothForms.Stage, backend: MovedBackend, callbacks: DispatchQueue) {
    let backend = MovedBackend()
    let store = FaultyStore(MemoryCredentialStore(keepsUsers: true))
    let callbacks = DispatchQueue(label: "test.callbacks")
    let auth = Auth(
      .init(
        backend: backend, store: store, callbackQueue: callbacks, clocks: ManualClocks(),
        random: SeededRandomSource(seed: 1), logger: .silent))
    var stage = try await BothForms.Stage.signedIn(to: auth, backend.scripted)
    switch path {
    case .good, .cancelled: break
    case .failingBackend: backend.fail(with: AuthError(.networkError, "no route"))
    case .failingStore:
      store.fail(.write, with: AuthError(.storeFailed, "no"), times: 1000)
      store.fail(.load, with: AuthError(.storeUnreadable, "no"), times: 1000)
    case .timeout:
      backend.hold()
      stage.timeout = .zero
    case .closed: try await auth.close()
    case .signedOut: try auth.signOut()
    }
    return (stage, backend, callbacks)
  }
}

/// Counts the ends of a call.
final class Ends: Sendable {
  private struct State: Sendable {
    var errors: [AuthError?] = []
    var waiter: CheckedContinuation<AuthError?, Never>?
  }

  private let state = Lock(State())

  var count: Int { state.withLock { $0.errors.count } }

  func note(_ error: AuthError?) {
    let waiter = state.withLock { state in
      state.errors.append(error)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: error)
  }

  var first: AuthError? {
    get async {
      await withCheckedContinuation { waiter in
        let error: AuthError?? = state.withLock { state in
          if state.errors.isEmpty { state.waiter = waiter }
          return state.errors.first
        }
        if let error { waiter.resume(returning: error) }
      }
    }
  }
}

/// A scripted backend all of whose calls fail, or wait.
private final class MovedBackend: Backend {
  private struct State: Sendable {
    var failure: AuthError?
    var isHolding = false
    var held: [CheckedContinuation<Void, Never>] = []
  }

  let scripted = ScriptedBackend()
  private let state = Lock(State())

  func fail(with error: AuthError) { state.withLock { $0.failure = error } }
  func hold() { state.withLock { $0.isHolding = true } }

  func goOn() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = [] }
      return state.held
    }
    for call in held { call.resume() }
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    await withCheckedContinuation { waiting in
      let goesOn = state.withLock { state in
        if state.isHolding { state.held.append(waiting) }
        return !state.isHolding
      }
      if goesOn { waiting.resume() }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return try await scripted.answer(call)
  }
}
