import Gatehouse
import GatehouseTesting
import IdentityToolkit
import Testing

/// Two `Auth`s on one store, as two programs of one user are.
struct Pair {
  let backend: LateBackend
  let memory = MemoryCredentialStore()
  /// The store of `one` writes and then fails, when it is told to.
  let late: StoreThatFailsLate
  let one: Scene
  let other: Scene
  let ada: User
  let adaThere: User

  /// Ada has signed up in `one`, and `other` has restored her session from the same store.
  init(keepingBack kind: any Call.Type) async throws {
    let backend = LateBackend(keepingBack: kind), memory = memory
    self.backend = backend
    late = StoreThatFailsLate(memory)
    one = Scene(store: FaultyStore(late)) { $0.backend = backend }
    ada = try await one.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    other = Scene(store: FaultyStore(memory), clocks: one.clocks) {
      $0.backend = backend
      $0.random = SeededRandomSource(seed: 2)
    }
    try await other.auth.ready()
    adaThere = try #require(other.auth.currentUser)
  }

  /// Both are signed in with the tokens that the store holds, and the provider takes them.
  func expectBothSignedIn() async throws {
    try await one.auth.flush()
    try await other.auth.flush()
    #expect(one.auth.currentUser == ada)
    #expect(other.auth.currentUser == adaThere)
    _ = try await ada.getIDToken(forcingRefresh: true)
    _ = try await adaThere.getIDToken(forcingRefresh: true)
    #expect(try await memory.load()?.tokens.refreshToken.revealed == ada.refreshToken)
    #expect(adaThere.refreshToken == ada.refreshToken)
  }

  /// A third program changes what is stored.
  func store(_ change: (inout StoredSession) -> Void) async throws {
    var stored = try #require(try await memory.load())
    change(&stored)
    stored.generation += 1
    _ = try await memory.write(stored, if: .always)
  }

  /// A third program begins a change that revokes tokens, and does not end it.
  func mark(limit: Double, age: Double = 0) async throws {
    try await store {
      $0.pendingRevocation = PendingRevocation(
        id: "third", begun: one.clocks.now().advanced(by: -age), limitSeconds: limit)
    }
  }
}
