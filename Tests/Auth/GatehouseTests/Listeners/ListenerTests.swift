import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

struct ListenerTests {
  /// A block that is put on the main queue behind a listener's call comes after it.
  @Test func `a listener of the main actor is called in its turn`() async throws {
    let scene = Scene()
    try await scene.auth.ready()
    // A plain semaphore: it holds the main queue for the moment in which both are put on it, and this test gives it.
    let order = Lock<[String]>([]), mayGo = DispatchSemaphore(value: 0)
    DispatchQueue.main.async { mayGo.wait() }
    scene.auth.addStateDidChangeListener { @MainActor _, _ in order.withLock { $0.append("listener") } }
    await withCheckedContinuation { done in
      DispatchQueue.main.async {
        order.withLock { $0.append("behind") }
        done.resume()
      }
      mayGo.signal()
    }
    while order.withLock({ $0.count }) < 2 { await Task.yield() }
    #expect(order.withLock { $0 } == ["listener", "behind"])
  }

  /// A synchronous call runs its block on its caller's thread, and that may be the main actor's own.
  @MainActor @Test func `a synchronous call of the main actor calls no listener before it returns`() async throws {
    let (scene, _) = try await Scene.signedIn()
    let events = Lock<[String]>([])
    let note: @Sendable (String) -> Void = { event in events.withLock { $0.append(event) } }
    let handle = scene.auth.addStateDidChangeListener { @MainActor auth, user in
      note(user == nil ? "signed out" : "signed in")
      #expect(auth.currentUser == user)
    }
    note("added")
    while events.withLock({ $0.count }) < 2 { await Task.yield() }
    try scene.auth.signOut()
    note("returned")
    while events.withLock({ $0.count }) < 4 { await Task.yield() }
    #expect(events.withLock { $0 } == ["added", "signed in", "returned", "signed out"])
    scene.auth.removeStateDidChangeListener(handle)
  }

  /// The sign-in ends while the main actor is busy, which then signs out.
  @MainActor @Test func `a listener of the main actor hears a sign-in before the sign-out that follows`() async throws {
    let (scene, _) = try await Scene.signedIn()
    try scene.auth.signOut()
    let heard = Lock<[Bool]>([])
    scene.auth.addStateDidChangeListener { @MainActor _, user in heard.withLock { $0.append(user != nil) } }
    while heard.withLock({ $0.isEmpty }) { await Task.yield() }
    // A plain semaphore: the main thread must be busy until the sign-in has ended, which needs no main thread.
    let signedIn = DispatchSemaphore(value: 0)
    Task.detached {
      _ = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
      signedIn.signal()
    }
    wait(for: signedIn)
    try scene.auth.signOut()
    while heard.withLock({ $0.count }) < 3 { await Task.yield() }
    #expect(heard.withLock { $0 } == [false, true, false])
  }

  /// Blocks the thread, which an asynchronous function may not do itself.
  private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test func `a listener hears the present state and then every change, in order, none twice`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    let heard = Heard()
    scene.auth.addStateDidChangeListener { heard.note($1) }
    _ = try await ada.getIDToken(forcingRefresh: true)  // no change of state
    let bob = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    try scene.auth.signOut()
    let again = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password).user
    await heard.wait(for: 4)
    #expect(heard.uids == [ada.uid, bob.uid, nil, again.uid])
  }

  @Test func `a token listener hears new tokens as well`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    let heard = Heard()
    scene.auth.addIDTokenDidChangeListener { heard.note($1) }
    _ = try await ada.getIDToken(forcingRefresh: true)
    let request = ada.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()  // no new token
    _ = try await ada.getIDToken(forcingRefresh: true)
    try scene.auth.signOut()
    await heard.wait(for: 4)
    #expect(heard.uids == [ada.uid, ada.uid, ada.uid, nil])
  }

  @Test func `a listener that comes while the session is restored hears only the result`() async throws {
    let (before, ada) = try await Scene.signedIn()
    before.store.hold(.load)
    let scene = Scene(backend: before.backend, store: before.store, clocks: before.clocks)
    let heard = Heard()
    scene.auth.addStateDidChangeListener { heard.note($1) }
    before.store.release(.load)
    try await scene.auth.ready()
    await heard.wait(for: 1)
    #expect(heard.uids == [ada.uid])
  }

  /// Every tenth listener stays. Removed ones are removed again, also after their `Auth` has ended them.
  @Test func `listeners that remain after many removals hear every change in order`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    let order = Lock<[Int]>([])
    let handles = (0..<1_000).map { number in
      scene.auth.addStateDidChangeListener { @Sendable _, user in
        if user == nil { order.withLock { $0.append(number) } }
      }
    }
    for (number, handle) in handles.enumerated() where !number.isMultiple(of: 10) {
      scene.auth.removeStateDidChangeListener(handle)
      scene.auth.removeStateDidChangeListener(handle)
    }
    #expect(scene.auth.listenerCount == 100 && scene.auth.currentUser == ada)
    try scene.auth.signOut()
    #expect(await comes { order.withLock { $0.count } == 100 })
    try await scene.auth.close()
    for handle in handles { scene.auth.removeStateDidChangeListener(handle) }
    #expect(order.withLock { $0 } == Array(stride(from: 0, to: 1_000, by: 10)))
    #expect(scene.auth.listenerCount == 0)
  }

  @Test func `after removal on the callback queue nothing more arrives`() async throws {
    let queue = DispatchQueue(label: "test.callbacks")
    let (scene, _) = try await Scene.signedIn { $0.callbackQueue = queue }
    let heard = Heard()
    let handle = scene.auth.addStateDidChangeListener { heard.note($1) }
    await heard.wait(for: 1)
    // Changes are queued after the block that removes the listener, and perhaps before it.
    let heardAtRemoval = Lock(0)
    queue.suspend()
    queue.async {
      scene.auth.removeStateDidChangeListener(handle)
      heardAtRemoval.withLock { $0 = heard.uids.count }
    }
    try scene.auth.signOut()
    _ = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    queue.resume()
    _ = await Delivery { scene.auth.ready(completion: $0) }.result
    #expect(heard.uids.count == heardAtRemoval.withLock { $0 })
  }

  @Test func `listeners are added and removed inside a listener`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    let inner = Heard()
    let handles = Lock<[AuthListenerHandle]>([])
    let outer = scene.auth.addStateDidChangeListener { auth, _ in
      let handle = auth.addStateDidChangeListener { inner.note($1) }
      handles.withLock { $0.append(handle) }
      #expect(auth.currentUser == ada)
    }
    await inner.wait(for: 1)
    #expect(scene.auth.listenerCount == 2)
    scene.auth.removeStateDidChangeListener(outer)
    for handle in handles.withLock({ $0 }) { scene.auth.removeStateDidChangeListener(handle) }
    #expect(scene.auth.listenerCount == 0)
  }

  @Test func `a listener may remove itself`() async throws {
    let (scene, _) = try await Scene.signedIn()
    let heard = Heard()
    let handle = Lock<AuthListenerHandle?>(nil)
    let added = scene.auth.addStateDidChangeListener { auth, user in
      if let mine = handle.withLock({ $0 }) { auth.removeStateDidChangeListener(mine) }
      heard.note(user)
    }
    handle.withLock { $0 = added }
    await heard.wait(for: 1)
    try scene.auth.signOut()
    scene.auth.removeStateDidChangeListener(added)
    _ = await Delivery { scene.auth.ready(completion: $0) }.result
    #expect(scene.auth.listenerCount == 0)
  }

  @Test func `a removed listener is released on the callback queue, and its deinit may call back`() async throws {
    let queue = DispatchQueue(label: "test.callbacks")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let (scene, ada) = try await Scene.signedIn { $0.callbackQueue = queue }
    let auth = scene.auth
    let (onQueue, seen) = await withCheckedContinuation { (done: CheckedContinuation<(Bool, User?), Never>) in
      // In a function of its own: when it has returned, the listener alone holds the probe.
      func addListener() -> AuthListenerHandle {
        let probe = Probe {
          done.resume(returning: (DispatchQueue.getSpecific(key: key) ?? false, auth.currentUser))
        }
        return auth.addStateDidChangeListener { _, _ in withExtendedLifetime(probe) {} }
      }
      auth.removeStateDidChangeListener(addListener())
    }
    #expect(onQueue && seen == ada)
  }

  @Test func `a listener does not keep its Auth alive, and goes with it`() async throws {
    let queue = DispatchQueue(label: "test.callbacks")
    weak var weakAuth: Auth?
    await withCheckedContinuation { done in
      let probe = Probe { done.resume() }
      let scene = Scene(callbackQueue: queue)
      weakAuth = scene.auth
      scene.auth.addStateDidChangeListener { _, _ in withExtendedLifetime(probe) {} }
    }
    #expect(weakAuth == nil)
  }

  @Test(.endsIfItHangs) func `a loop over a sequence that is kept ends when the Auth goes away`() async throws {
    let (begun, end) = AsyncStream.makeStream(of: Void.self)
    var scene: Scene? = Scene()
    let changes = try #require(scene?.auth.authStateChanges)
    let loop = Task {
      for await _ in changes { end.yield() }
      return true
    }
    for await _ in begun { break }
    scene = nil
    #expect(await loop.value)
    for await _ in changes { Issue.record("an Auth that is gone has no changes") }
  }

  @Test func `order holds on a concurrent callback queue`() async throws {
    let (scene, _) = try await Scene.signedIn {
      $0.callbackQueue = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    }
    let order = Lock<[Int]>([])
    let last = Delivery<Void> { done in
      for number in 0..<500 {
        scene.auth.ready { _ in order.withLock { $0.append(number) } }
      }
      scene.auth.ready(completion: done)
    }
    try await last.value
    #expect(order.withLock { $0 } == Array(0..<500))
  }

  // MARK: Streams

  @Test func `a stream begins with the present state and follows the changes`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    var changes = scene.auth.authStateChanges.makeAsyncIterator()
    #expect(await changes.next() == .some(ada))
    try scene.auth.signOut()
    #expect(await changes.next() == .some(nil))
    #expect(scene.auth.listenerCount == 1)
  }

  @Test func `a slow reader skips to the latest`() async throws {
    let (scene, _) = try await Scene.signedIn()
    var changes = scene.auth.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    var last: User?
    for _ in 0..<10 { last = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password).user }
    await scene.streamsAreIdle()
    #expect(await changes.next() == .some(last))
  }

  @Test func `leaving a stream unregisters it, and closing ends it`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    for await user in scene.auth.idTokenChanges {
      #expect(user == ada)
      break
    }
    let reader = Task { for await _ in scene.auth.authStateChanges {} }
    reader.cancel()
    await reader.value
    await scene.waitForListeners(0)
    let other = Task { for await _ in scene.auth.authStateChanges {} }
    await scene.waitForListeners(1)
    try await scene.auth.close()
    await other.value
    #expect(scene.auth.listenerCount == 0)
  }
}

/// Tells when it is released.
final class Probe: Sendable {
  private let onDeinit: @Sendable () -> Void
  init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}
