import Dispatch
import Foundation
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// Several `Auth`s on one store: one at a time refreshes the session, under the store's lock.
@Suite(.endsIfItHangs) struct StoreLockTests {
  @Test func `two Auths on one store share a refresh token that is spent by each refresh`() async throws {
    let pair = try await TwoAuths(RotatingBackend())
    for _ in 1...10 {
      let tokens = pair.users.map { user in Delivery { user.getIDToken(forcingRefresh: true, completion: $0) } }
      // Time passes only when the first one has given its lock back: the other one waits for it for so long.
      await pair.waitForOne(of: tokens)
      for (auth, token) in zip(pair.auths, tokens) where token.count > 0 { try await auth.flush() }
      await pair.moveClocks(until: tokens)
      for token in tokens { _ = try await token.value }
      for auth in pair.auths { try await auth.flush() }
    }
    #expect(pair.users.allSatisfy { $0.refreshToken != nil })
    #expect(pair.backend.wasSpentTwice == false)
  }

  @Test func `while one refreshes the other waits, and then has its tokens without asking`() async throws {
    let pair = try await TwoAuths(RotatingBackend())
    pair.clocks.advance(by: 3_400)
    pair.backend.scripted.hold(.refresh)
    let first = Delivery { pair.users[0].getIDToken(completion: $0) }
    await pair.backend.scripted.waitForCall(.refresh)
    let second = Delivery { pair.users[1].getIDToken(completion: $0) }
    await pair.clocks.waitForSleeper(of: 0.1)
    #expect(pair.backend.scripted.count(of: .refresh) == 1)
    pair.backend.scripted.release(.refresh)
    _ = try await first.value
    try await pair.auths[0].flush()
    await pair.moveClocks(until: [second])
    #expect(try await second.value == (try await first.value))
    #expect(pair.backend.scripted.count(of: .refresh) == 1)
  }

  @Test func `a program that was stopped in a refresh is waited for five seconds, and then not any more`() async throws
  {
    let backend = RotatingBackend(saysSo: false)
    let pair = try await TwoAuths(backend)
    let stopped = try await pair.memory.lock()
    let token = Delivery { pair.users[0].getIDToken(forcingRefresh: true, completion: $0) }
    for _ in 1...50 {
      await pair.clocks.waitForSleeper(of: 0.1)
      #expect(backend.scripted.count(of: .refresh) == 0)
      pair.clocks.advance(by: 0.1)
    }
    _ = try await token.value
    stopped?.release()
  }

  @Test(arguments: [false, true])
  func `a refresh without an end gives the lock back, at its deadline or soon after`(rotates: Bool) async throws {
    let backend = StuckBackend(rotates: rotates), memory = MemoryCredentialStore(), clocks = ManualClocks()
    let auth = Auth(
      Auth.Configuration(
        backend: backend, store: memory, callbackQueue: DispatchQueue(label: "test.callbacks"), clocks: clocks,
        random: SeededRandomSource(seed: 1), logger: .silent))
    let user = try await auth.signInAnonymously().user
    try await auth.flush()
    clocks.advance(by: 1)  // the deadlines of earlier calls, where they have not gone yet, are none of 30 s now
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await backend.isStuck.waitUntilReached()
    await #expect(throws: AuthError.self) { try await memory.lock() }
    await clocks.waitForSleeper(of: 30)
    if rotates { await clocks.waitForSleeper(of: 60) }
    clocks.advance(by: 31)
    #expect(await token.error?.code == .deadlineExceeded)
    if rotates { clocks.advance(by: 60) }
    while true {
      guard let lock = try? await memory.lock() else {
        await Task.yield()
        continue
      }
      lock.release()
      break
    }
    backend.isStuck.open()
  }

  @Test func `with a provider that rotates nothing is sent without the lock, and the old token serves`() async throws {
    let pair = try await TwoAuths(RotatingBackend())
    let old = try await pair.users[0].getIDToken()
    pair.clocks.advance(by: 3_400)
    let stopped = try await pair.memory.lock()
    let token = Delivery { pair.users[0].getIDToken(completion: $0) }
    await pair.moveClocks(until: [token])
    #expect(try await token.value == old)
    let forced = Delivery { pair.users[0].getIDToken(forcingRefresh: true, completion: $0) }
    await pair.moveClocks(until: [forced])
    let error = await #expect(throws: AuthError.self) { try await forced.value }
    #expect(error?.code == .storeInUse)
    #expect(pair.backend.scripted.count(of: .refresh) == 0)
    stopped?.release()
    #expect(try await pair.users[0].getIDToken(forcingRefresh: true) != old)
  }

  @Test func `a new refresh token that is not stored keeps the lock until it is`() async throws {
    let pair = try await TwoAuths(RotatingBackend())
    pair.backend.failAfterRefresh(pair.stores[0], times: 1)
    _ = try await pair.users[0].getIDToken(forcingRefresh: true)
    let second = Delivery { pair.users[1].getIDToken(forcingRefresh: true, completion: $0) }
    await pair.clocks.waitForSleeper(of: 0.1)
    #expect(pair.backend.scripted.count(of: .refresh) == 1, "the store holds a token that was spent")
    try await pair.auths[0].flush()
    await pair.moveClocks(until: [second])
    _ = try await second.value
    #expect(pair.backend.wasSpentTwice == false)
  }

  @Test(arguments: [false, true])
  func `an Auth that is closed, or let go of, gives the lock back`(isClosed: Bool) async throws {
    let memory = MemoryCredentialStore(), backend = RotatingBackend()
    do {
      let (store, clocks) = (FaultyStore(memory), ManualClocks())
      let auth = Auth(.forTests(backend, store, clocks))
      let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
      backend.failAfterRefresh(store, times: 100)
      _ = try await user.getIDToken(forcingRefresh: true)
      try? await auth.flush()
      await #expect(throws: AuthError.self) { try await memory.lock() }
      if isClosed { await #expect(throws: AuthError.self) { try await auth.close() } }
      if isClosed { try await memory.lock()?.release() }
    }
    while (try? await memory.lock()) == nil { await Task.yield() }
  }

  @Test func `a lock that comes after its refresh has ended is given back`() async throws {
    let store = SlowLockStore()
    let scene = Scene { $0.store = store }
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    scene.clocks.advance(by: 1)  // a deadline of the sign-up that has not gone yet is none of 10 s now
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await store.gate.waitUntilReached()
    await scene.clocks.waitForSleeper(of: 10)
    scene.clocks.advance(by: 10)  // the store has had its time: the refresh goes on without it
    _ = try await token.value
    store.gate.open()
    try await scene.auth.flush()
    while (try? await store.memory.lock()) == nil { await Task.yield() }
  }

  @Test(arguments: [false, true])
  func `a token that may have been spent elsewhere is not sent to a provider that rotates`(
    isReadBeforeLock: Bool
  ) async throws {
    let store = UnreadableStore(isReadBeforeLock: isReadBeforeLock), backend = RotatingBackend()
    let auth = Auth(.forTests(backend, store, ManualClocks()))
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    try await auth.flush()  // the sign-in has given its lock back, which a refresh could go on with
    store.isAway.withLock { $0 = true }
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .storeUnreadable)
    #expect(backend.scripted.count(of: .refresh) == 0)
    store.isAway.withLock { $0 = false }
    _ = try await user.getIDToken(forcingRefresh: true)
  }

  @Test func `who has kept the lock needs not read the store`() async throws {
    let pair = try await TwoAuths(RotatingBackend())
    pair.backend.failAfterRefresh(pair.stores[0], times: 1)
    _ = try await pair.users[0].getIDToken(forcingRefresh: true)
    pair.stores[0].fail(.load, with: AuthError(.storeUnreadable, "the disk is away"))
    _ = try await pair.users[0].getIDToken(forcingRefresh: true)
    #expect(pair.backend.scripted.count(of: .refresh) == 2 && pair.backend.wasSpentTwice == false)
  }

  @Test(arguments: [false, true])
  func `a folder that was moved away is not made again by a refresh`(rotates: Bool) async throws {
    try await withTemporaryFolder { path in
      let store = FileCredentialStore(path: path + "/home/session")
      let auth = Auth(.forTests(RotatingBackend(saysSo: rotates), store, ManualClocks()))
      let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
      try FileManager.default.moveItem(atPath: path + "/home", toPath: path + "/moved")
      await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
      try? await auth.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["moved"])
    }
  }

  @Test func `a user is set aside when no other program refreshes the session`() async throws {
    let pair = try await TwoAuths(RotatingBackend(), keepsUsers: true)
    pair.backend.scripted.hold(.refresh)
    let token = Delivery { pair.users[0].getIDToken(forcingRefresh: true, completion: $0) }
    await pair.backend.scripted.waitForCall(.refresh)
    let bob = Delivery {
      pair.auths[1].createUser(withEmail: "bob@example.com", password: Scene.password, completion: $0)
    }
    await pair.clocks.waitForSleeper(of: 0.1)
    pair.backend.scripted.release(.refresh)
    let latest = try await token.value
    try await pair.auths[0].flush()
    await pair.moveClocks(until: [bob])
    _ = try await bob.value
    let ada = try await pair.memory.sessions().others.first
    #expect(ada?.tokens.idToken.revealed == latest, "the tokens that are set aside are the last ones")
    let back = try await pair.auths[1].switchUser(toUID: pair.users[0].uid)
    _ = try await back.getIDToken(forcingRefresh: true)
    #expect(pair.backend.wasSpentTwice == false)
  }

  @Test func `a user whose stored session is damaged is replaced, as nothing can be set aside`() async throws {
    try await withTemporaryFolder { path in
      let store = FileCredentialStore(path: path + "/session", keepsUsers: true)
      let auth = Auth(.forTests(RotatingBackend(), store, ManualClocks()))
      _ = try await auth.createUser(withEmail: Scene.email, password: Scene.password)
      try (path + "/session").fill("no session")
      let bob = try await auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
      #expect(try await store.load()?.profile.uid == bob.uid)
    }
  }

  @Test func `a store that cannot be read for a while does not end automatic refreshes`() async throws {
    let gate = Gate(), backend = RotatingBackend(), clocks = ManualClocks()
    let store = UnreadableStore(isReadBeforeLock: false, gate: gate)
    var configuration = Auth.Configuration.forTests(backend, store, clocks)
    configuration.refreshesAutomatically = true
    let auth = Auth(configuration)
    _ = try await auth.createUser(withEmail: Scene.email, password: Scene.password)
    clocks.advance(by: 31)  // past the deadlines of that call, which may not have gone yet
    await clocks.waitForSleepers(1)
    store.isAway.withLock { $0 = true }
    clocks.advance(by: 3_300)
    await gate.waitUntilReached()
    #expect(backend.scripted.count(of: .refresh) == 0)
    store.isAway.withLock { $0 = false }
    gate.open()
    #expect(
      await comes {
        // More than one, if the clocks have come further meanwhile.
        if backend.scripted.count(of: .refresh) >= 1 { return true }
        try? await auth.flush()
        clocks.advance(by: 5)
        return false
      })
  }

  @Test func `a store that has no lock is refused by a provider that rotates, with advice`() async throws {
    let backend = ScriptedBackend()
    backend.rotatesRefreshTokens = true
    let scene = Scene(backend: backend) { $0.store = WatchfulStore() }
    let error = await #expect(throws: AuthError.self) { try await scene.auth.ready() }
    #expect(error?.code == .invalidArgument && error?.message.contains("FileCredentialStore") == true)
    await #expect(throws: AuthError.self) { try await scene.auth.signInAnonymously() }
    #expect(scene.backend.calls == [])
  }

  @Test func `a callback-style backend says whether it rotates`() {
    struct Rotating: CallbackBackend {
      var rotatesRefreshTokens: Bool { true }
      func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void) {
        completion(.failure(.unsupported(C.self)))
      }
    }
    #expect(Rotating().adapted.rotatesRefreshTokens)
    #expect(!ScriptedBackend().rotatesRefreshTokens)
  }
}

/// Two `Auth`s on one store, with Ada signed in to both.
private struct TwoAuths {
  let backend: RotatingBackend
  let memory: MemoryCredentialStore
  let clocks = ManualClocks()
  let stores: [FaultyStore]
  let auths: [Auth]
  let users: [User]

  init(_ backend: RotatingBackend, keepsUsers: Bool = false) async throws {
    let memory = MemoryCredentialStore(keepsUsers: keepsUsers), clocks = clocks
    let stores = [FaultyStore(memory), FaultyStore(memory)]
    let first = Auth(.forTests(backend, stores[0], clocks))
    _ = try await first.createUser(withEmail: Scene.email, password: Scene.password)
    try await first.flush()  // the sign-in has given its lock back
    let second = Auth(.forTests(backend, stores[1], clocks, seed: 2))
    try await second.ready()
    (self.backend, self.memory, self.stores, auths) = (backend, memory, stores, [first, second])
    users = try auths.map { try #require($0.currentUser) }
  }

  /// Waits until one of them has come.
  func waitForOne<Value: Sendable>(of deliveries: [Delivery<Value>]) async {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    for delivery in deliveries {
      Task {
        _ = await delivery.result
        arrival.yield()
      }
    }
    for await _ in arrivals { return }
  }

  /// Lets time pass, a tenth of a second at a time, until all have come.
  func moveClocks<Value: Sendable>(until deliveries: [Delivery<Value>]) async {
    for delivery in deliveries {
      let moves = Task {
        while !Task.isCancelled {
          await clocks.waitForSleeper(of: 0.1)
          if !Task.isCancelled { clocks.advance(by: 0.1) }
        }
      }
      _ = await delivery.result
      moves.cancel()
      await moves.value
    }
  }
}

extension RotatingBackend {
  /// Makes the writes of a store fail once the first refresh is sent.
  fileprivate func failAfterRefresh(_ store: FaultyStore, times: Int) {
    scripted.onCall { [scripted] kind in
      guard kind == .refresh else { return }
      scripted.onCall(nil)
      store.fail(.write, with: AuthError(.storeFailed, "the disk is full"), times: times)
    }
  }
}

/// A store that cannot be read when the test says so: not at all, or not under its lock.
private final class UnreadableStore: CredentialStore {
  let isAway = Lock(false)
  private let memory = MemoryCredentialStore()
  private let isReadBeforeLock: Bool
  private let wasLocked = Lock(false)

  private let gate: Gate?

  /// - Parameter gate: what holds up a look that fails.
  init(isReadBeforeLock: Bool, gate: Gate? = nil) { (self.isReadBeforeLock, self.gate) = (isReadBeforeLock, gate) }

  func load() async throws(AuthError) -> StoredSession? {
    if isAway.withLock(\.self), !isReadBeforeLock || wasLocked.withLock(\.self) {
      await gate?.pass()
      throw AuthError(.storeUnreadable, "the disk is away")
    }
    return try await memory.load()
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await memory.write(session, if: condition)
  }

  func lock() async throws(AuthError) -> (any StoreLock)? {
    wasLocked.withLock { $0 = isAway.withLock(\.self) }
    return try await memory.lock()
  }
}

/// A provider whose refreshes have no end until the gate is open. Cancelling them has no effect.
private final class StuckBackend: Backend {
  let isStuck = Gate()
  let rotatesRefreshTokens: Bool
  private let scripted = ScriptedBackend()

  init(rotates: Bool) { rotatesRefreshTokens = rotates }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    if call is ExchangeRefreshToken { await isStuck.pass() }
    return try await scripted.answer(call)
  }
}
