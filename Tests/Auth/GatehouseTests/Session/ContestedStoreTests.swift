import Gatehouse
import GatehouseQueues
import GatehouseTesting
import Testing

/// A store whose session is changed by another each time before it can be written.
struct ContestedStoreTests {
  @Test func `after sixteen conflicts the change is owed, and a flush says so after sixteen more`() async throws {
    let store = ContestedStore()
    let scene = Scene { $0.store = store }
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    scene.clocks.advance(by: 1)
    store.isContested = true
    let token = try await user.getIDToken(forcingRefresh: true)
    let error = await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    #expect(error?.code == .storeFailed)
    #expect(store.conflicts == 32)
    #expect(scene.auth.currentUser == user)
    store.isContested = false
    try await scene.auth.flush()
    #expect(try await store.load()?.tokens.idToken.revealed == token)
  }
}

/// A store in memory. While it is contested, another changes the session before each write, but not for ever.
private final class ContestedStore: CredentialStore {
  private struct State {
    var isContested = false
    var conflicts = 0
  }

  private let memory = MemoryCredentialStore()
  private let state = Lock(State())
  private static let mostConflicts = 100

  var conflicts: Int { state.withLock { $0.conflicts } }

  var isContested: Bool {
    get { state.withLock { $0.isContested } }
    set { state.withLock { $0.isContested = newValue } }
  }

  func load() async throws(AuthError) -> StoredSession? { try await memory.load() }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    let isContested = state.withLock { state in
      guard state.isContested, state.conflicts < Self.mostConflicts else { return false }
      state.conflicts += 1
      return true
    }
    if isContested, var stored = try await memory.load() {
      stored.generation += 1
      stored.profile.photoURL = "picture \(stored.generation)"
      _ = try await memory.write(stored, if: .always)
    }
    return try await memory.write(session, if: condition)
  }
}
