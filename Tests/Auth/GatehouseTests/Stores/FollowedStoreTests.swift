import Foundation
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

/// What other programs do to a store that can be watched reaches the `Auth`s on it.
struct FollowedStoreTests {
  /// Two `Auth`s on one file, and what the listener of the second has heard.
  private static func pair(
    _ path: String, following: Bool = true
  ) async throws -> (here: Auth, there: Auth, heard: Heard) {
    let backend = ScriptedBackend()
    func auth(_ following: Bool) -> Auth {
      Auth(
        .init(
          backend: backend, store: .file(path), callbackQueue: DispatchQueue(label: "test.callbacks"), logger: .silent,
          timeouts: .patient, followsStore: following))
    }
    let (here, there, heard) = (auth(true), auth(following), Heard())
    try await there.ready()
    there.addStateDidChangeListener { _, user in heard.note(user) }
    await heard.wait(for: 1)
    return (here, there, heard)
  }

  @Test func `a sign-in and a sign-out elsewhere reach the listeners here`() async throws {
    try await withTemporaryFolder { folder in
      let (here, there, heard) = try await Self.pair("\(folder)/session")
      let ada = try await here.createUser(withEmail: "a@example.com", password: "correct horse").user
      await heard.wait(for: 2)
      #expect(there.currentUser?.uid == ada.uid)
      let former = try #require(there.currentUser)
      let grace = try await here.createUser(withEmail: "b@example.com", password: "correct horse").user
      await heard.wait(for: 3)
      await #expect(throws: AuthError.self) { _ = try await former.getIDToken() }
      try here.signOut()
      try await here.flush()
      await heard.wait(for: 4)
      #expect(heard.uids == [nil, ada.uid, grace.uid, nil])
      // Back, from the other side.
      let back = try await there.signIn(withEmail: "a@example.com", password: "correct horse").user
      #expect(await comes { here.currentUser?.uid == back.uid })
    }
  }

  @Test func `a folder that is made later is followed, too`() async throws {
    try await withTemporaryFolder { folder in
      let (here, there, heard) = try await Self.pair("\(folder)/later/session")
      let ada = try await here.createUser(withEmail: "a@example.com", password: "correct horse").user
      await heard.wait(for: 2)
      #expect(there.currentUser?.uid == ada.uid)
      // And one that is moved away, and made anew.
      try FileManager.default.moveItem(atPath: "\(folder)/later", toPath: "\(folder)/away")
      await heard.wait(for: 3)
      #expect(there.currentUser == nil)
      let grace = try await here.createUser(withEmail: "b@example.com", password: "correct horse").user
      await heard.wait(for: 4)
      #expect(there.currentUser?.uid == grace.uid)
    }
  }

  @Test func `a change elsewhere is merged`() async throws {
    try await withTemporaryFolder { folder in
      let (here, there, heard) = try await Self.pair("\(folder)/session")
      let ada = try await here.createUser(withEmail: "a@example.com", password: "correct horse").user
      await heard.wait(for: 2)
      let request = ada.createProfileChangeRequest()
      request.displayName = "Ada"
      try await request.commitChanges()
      let user = try #require(there.currentUser)
      #expect(await comes { user.displayName == "Ada" })
      #expect(heard.uids.count == 2, "the same user")
    }
  }

  @Test func `one that does not follow learns at its next write`() async throws {
    try await withTemporaryFolder { folder in
      let (here, there, heard) = try await Self.pair("\(folder)/session", following: false)
      let ada = try await here.createUser(withEmail: "a@example.com", password: "correct horse").user
      let third = Auth(
        .init(backend: ScriptedBackend(), store: .file("\(folder)/session"), logger: .silent, timeouts: .patient))
      try await third.ready()
      #expect(third.currentUser?.uid == ada.uid)
      #expect(there.currentUser == nil && heard.uids == [nil])
    }
  }

  // MARK: At chosen moments

  /// A signed-in `Auth` on a store that tells of changes when the test says so.
  private static func scripted() async throws -> (scene: Scene, store: ToldStore) {
    let store = ToldStore()
    let scene = Scene { $0.store = store }
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    try await scene.auth.flush()
    await store.isWatched()
    return (scene, store)
  }

  @Test func `a session that is about to be erased does not come back`() async throws {
    let (scene, store) = try await Self.scripted()
    store.faults.hold(.load)
    store.tell()
    await store.faults.waitUntilHeld(.load)
    try scene.auth.signOut()  // its erasure comes after the look
    store.faults.release(.load)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == nil)
  }

  @Test func `nor does one whose erasure has failed`() async throws {
    let (scene, store) = try await Self.scripted()
    store.faults.fail(.write, with: AuthError(.storeFailed, "no"), times: 1)
    try scene.auth.signOut()
    let loads = store.faults.calls.count { $0 == .load }
    #expect(await comes { store.faults.calls.contains { if case .write(nil, _) = $0 { true } else { false } } })
    store.tell()
    #expect(await comes { store.faults.calls.count { $0 == .load } > loads })
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == nil)
    #expect(try await store.load() == nil)
  }

  @Test func `changes that come together share a look`() async throws {
    let (scene, store) = try await Self.scripted()
    let before = store.faults.calls.count { $0 == .load }
    store.faults.hold(.load)
    store.tell()
    await store.faults.waitUntilHeld(.load)
    for _ in 0..<50 { store.tell() }
    store.faults.release(.load)
    try await scene.auth.flush()
    #expect(store.faults.calls.count { $0 == .load } - before <= 2)
    #expect(scene.auth.currentUser != nil)
  }

  @Test func `what cannot be read changes nothing`() async throws {
    let (scene, store) = try await Self.scripted()
    store.faults.fail(.load, with: AuthError(.storeUnreadable, "no"))
    store.tell()
    try await scene.auth.flush()
    #expect(scene.auth.currentUser != nil)
  }

  @Test func `a store that could not be read is unavailable until it has been read, whatever it tells`() async throws {
    let unreadable = AuthError(.storeUnreadable, "no"), damaged = AuthError(.storeDamaged, "it is cut short")
    let store = ToldStore()
    store.faults.hold(.load)
    store.faults.fail(.load, with: unreadable)
    let scene = Scene { $0.store = store }
    let ready = Delivery { scene.auth.ready(completion: $0) }
    store.faults.release(.load)
    await #expect(throws: AuthError.self) { try await ready.value }
    await store.isWatched()
    for (next, state) in [(damaged, AuthState.unavailable(damaged)), (nil, .signedOut(nil))] {
      let before = scene.auth.state
      store.faults.hold(.load)
      if let next { store.faults.fail(.load, with: next) }
      store.tell()
      await store.faults.waitUntilHeld(.load)
      #expect(scene.auth.state == before, "it is being read again")
      store.faults.release(.load)
      #expect(await comes { scene.auth.state == state })
    }
  }

  @Test func `closing ends the watch`() async throws {
    let (scene, store) = try await Self.scripted()
    try await scene.auth.close()
    #expect(await comes { store.watches == 0 })
  }

  @Test func `the end of an Auth ends the watch`() async throws {
    let store = ToldStore()
    do {
      let scene = Scene { $0.store = store }
      try await scene.auth.ready()
      await store.isWatched()
    }
    #expect(await comes { store.watches == 0 })
  }

  @Test func `a watch whose end blocks does not keep another from its end`() async throws {
    // Plain semaphores: a store's own code blocks its thread, and this test gives the first one.
    let mayEnd = DispatchSemaphore(value: 0), isEnding = DispatchSemaphore(value: 0)
    let blocked = ToldStore {
      isEnding.signal()
      mayEnd.wait()
    }
    let other = ToldStore()
    for store in [blocked, other] {
      let scene = Scene { $0.store = store }
      try await scene.auth.ready()
      await store.isWatched()
      try await scene.auth.close()
      if store === blocked { try await onThread { isEnding.wait() } }
    }
    #expect(await comes { other.watches == 0 })
    #expect(blocked.watches == 1)
    mayEnd.signal()
  }
}

/// A store in memory that tells of changes when the test says so.
private final class ToldStore: CredentialStore {
  private struct State: Sendable {
    var told: [UInt64: @Sendable () -> Void] = [:]
    var nextID: UInt64 = 0
  }

  let faults = FaultyStore(.memory)
  private let state = Lock(State())
  private let ending: @Sendable () -> Void

  /// - Parameter ending: what the end of a watch does before it has an effect.
  init(ending: @escaping @Sendable () -> Void = {}) { self.ending = ending }

  var watches: Int { state.withLock { $0.told.count } }

  func isWatched() async { _ = await comes { self.watches > 0 } }
  func tell() { for changed in state.withLock({ $0.told.values.map(\.self) }) { changed() } }

  func load() async throws(AuthError) -> StoredSession? { try await faults.load() }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await faults.write(session, if: condition)
  }

  func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? {
    let id = state.withLock { state in
      state.nextID += 1
      state.told[state.nextID] = changed
      return state.nextID
    }
    return ToldWatch { [weak self] in
      self?.ending()
      self?.state.withLock { _ = $0.told.removeValue(forKey: id) }
    }
  }
}

private struct ToldWatch: StoreWatch {
  let body: @Sendable () -> Void
  func end() { body() }
}
