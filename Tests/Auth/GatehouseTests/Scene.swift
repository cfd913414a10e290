import Dispatch
import Gatehouse
import GatehouseBase
import GatehouseTesting
import IdentityToolkit
import Logging
import TestSupport

/// An `Auth` on a scripted backend, a store that can fail, and clocks that only the test moves.
struct Scene: Sendable {
  static let email = "ada@example.com"
  static let password = "correct horse"

  let backend: ScriptedBackend
  let store: FaultyStore
  let clocks: ManualClocks
  let auth: Auth

  init(
    backend: ScriptedBackend = ScriptedBackend(), store: FaultyStore = FaultyStore(.memory),
    clocks: ManualClocks = ManualClocks(), callbackQueue: DispatchQueue = DispatchQueue(label: "test.callbacks"),
    _ adjust: (inout Auth.Configuration) -> Void = { _ in }
  ) {
    self.backend = backend
    self.store = store
    self.clocks = clocks
    var configuration = Auth.Configuration(
      backend: backend, store: store, callbackQueue: callbackQueue, clocks: clocks,
      random: SeededRandomSource(seed: 1), logger: .silent)
    adjust(&configuration)
    auth = Auth(configuration)
  }

  /// A scene in which Ada has signed up.
  static func signedIn(
    backend: ScriptedBackend = ScriptedBackend(), _ adjust: (inout Auth.Configuration) -> Void = { _ in }
  ) async throws(AuthError) -> (scene: Scene, user: User) {
    let scene = Scene(backend: backend, adjust)
    let user = try await typed { try await scene.auth.createUser(withEmail: email, password: password).user }
    return (scene, user)
  }

  /// Another `Auth` on the same store and provider. Its first look into the store fails, after `ready()` was called.
  ///
  /// - Parameter whileLooking: what happens before the look has failed.
  /// - Returns: with what `ready()` threw.
  func reopened(
    failing error: AuthError, whileLooking: (Auth) -> Void = { _ in }
  ) async -> (scene: Scene, error: AuthError?) {
    store.hold(.load)
    store.fail(.load, with: error)
    let scene = Scene(backend: backend, store: store, clocks: clocks)
    whileLooking(scene.auth)
    let ready = Delivery { scene.auth.ready(completion: $0) }
    store.release(.load)
    guard case .failure(let error) = await ready.result else { return (scene, nil) }
    return (scene, error)
  }

  /// Returns when there are `count` listeners and streams.
  func waitForListeners(_ count: Int) async {
    while auth.listenerCount != count { await Task.yield() }
  }

  /// Comes back when every event so far has reached the streams' buffers.
  func streamsAreIdle() async {
    await withCheckedContinuation { done in auth.deliverBehindStreams { done.resume() } }
  }

  /// Lets time pass until the token is due.
  func makeTokenDue() { clocks.advance(by: 3_400) }
}

extension Logger {
  /// Says nothing.
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
