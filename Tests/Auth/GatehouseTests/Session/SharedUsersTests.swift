import Gatehouse
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

/// Saved users, changed by calls that end before they are done, and by two programs on one store.
@Suite(.endsIfItHangs) struct SharedUsersTests {
  private static let bobsEmail = "bob@example.com"
  private static let full = AuthError(.storeFailed, "the disk is full")

  /// Ada and then Bob have signed in to `one`; `other` is a second program on the same store.
  private struct Programs {
    let memory = MemoryCredentialStore(keepsUsers: true)
    let one: Scene
    let other: Scene
    let ada: String
    let bob: User

    /// - Parameter otherSeesBob: whether the other program starts after Bob has signed in.
    init(otherSeesBob: Bool) async throws {
      let memory = memory, one = Scene(store: FaultyStore(memory))
      self.one = one
      func second() -> Scene {
        Scene(backend: one.backend, store: FaultyStore(memory), clocks: one.clocks) {
          $0.random = SeededRandomSource(seed: 2)
        }
      }
      let other = otherSeesBob ? nil : second()
      try await other?.auth.ready()
      ada = try await one.auth.createUser(withEmail: Scene.email, password: Scene.password).user.uid
      bob = try await one.auth.createUser(withEmail: bobsEmail, password: Scene.password).user
      try await one.auth.flush()
      self.other = other ?? second()
      try await self.other.auth.ready()
    }

    /// Lets time pass for who waits for the store's lock, a tenth of a second at a time.
    func lettingTimePass<Value>(during calls: () async throws -> Value) async rethrows -> Value {
      let moves = Task { [clocks = one.clocks] in
        while !Task.isCancelled {
          await clocks.waitForSleeper(of: 0.1)
          if !Task.isCancelled { clocks.advance(by: 0.1) }
        }
      }
      defer { moves.cancel() }
      return try await calls()
    }

    /// Bob is signed in to `one`, Ada is saved, and the provider takes the tokens of both.
    func expectBobAndAda() async throws {
      try await one.auth.flush()
      #expect(one.auth.currentUser == bob)
      #expect(try await one.auth.savedUsers().map(\.uid) == [bob.uid, ada])
      _ = try await bob.getIDToken(forcingRefresh: true)
      _ = try await one.auth.switchUser(toUID: ada).getIDToken(forcingRefresh: true)
    }
  }

  // MARK: Calls that end before they are done

  @Test func `the undoing of a switch that a sign-out overtakes is owed, if it fails`() async throws {
    let memory = MemoryCredentialStore(keepsUsers: true), inner = FaultyStore(memory)
    let scene = Scene(store: FaultyStore(inner))
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    _ = try await scene.auth.createUser(withEmail: Self.bobsEmail, password: Scene.password)
    try await scene.auth.flush()
    inner.hold(.write)
    let change = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    await inner.waitUntilHeld(.write)
    scene.store.fail(.write, with: Self.full)  // for the write after the one that is held
    try scene.auth.signOut()
    inner.release(.write)
    #expect(await change.error?.code == .superseded)
    try await scene.auth.flush()
    #expect(try await memory.sessions().current == nil)
    #expect(try await memory.sessions().others.map(\.profile.uid) == [ada.uid])
    let next = Scene(backend: scene.backend, store: FaultyStore(memory), clocks: scene.clocks)
    try await next.auth.ready()
    #expect(next.auth.currentUser == nil)
  }

  @Test func `a sign-in that is cancelled puts the saved session back that it replaced`() async throws {
    let programs = try await Programs(otherSeesBob: true), scene = programs.one
    scene.store.hold(.write)
    let signIn = Task { try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password) }
    await scene.store.waitUntilHeld(.write)
    signIn.cancel()
    await #expect(throws: AuthError.self) { try await signIn.value }
    scene.store.release(.write)
    try await programs.expectBobAndAda()
  }

  // MARK: Two programs

  @Test func `a switch that is cancelled in a program without a user leaves the other one's user signed in`()
    async throws
  {
    let programs = try await Programs(otherSeesBob: false), other = programs.other
    #expect(other.auth.currentUser == nil)
    other.store.hold(.write)
    let change = Task { try await other.auth.switchUser(toUID: programs.ada) }
    await other.store.waitUntilHeld(.write)
    change.cancel()
    await #expect(throws: AuthError.self) { try await change.value }
    other.store.release(.write)
    try await other.auth.flush()
    #expect(try await programs.memory.sessions().current?.profile.uid == programs.bob.uid)
    try await programs.expectBobAndAda()
  }

  @Test func `new tokens of a session that another program has set aside are stored there`() async throws {
    let programs = try await Programs(otherSeesBob: true), (one, other) = (programs.one, programs.other)
    one.backend.hold(.refresh)
    async let fresh = programs.bob.getIDToken(forcingRefresh: true)
    await one.backend.waitForCall(.refresh)
    // The other program waits for the lock of the refresh, and then goes on without it.
    _ = try await programs.lettingTimePass { try await other.auth.switchUser(toUID: programs.ada) }
    one.backend.release(.refresh)
    let token = try await fresh
    try await one.auth.flush()
    #expect(try await programs.memory.sessions().others.map(\.tokens.idToken.revealed) == [token])
    #expect(try await other.auth.switchUser(toUID: programs.bob.uid).getIDToken() == token)
  }

  @Test func `beside switches each user is listed once`() async throws {
    let programs = try await Programs(otherSeesBob: true), uids = [programs.ada, programs.bob.uid]
    let switches = Task {
      for round in 0..<100 { _ = try await programs.one.auth.switchUser(toUID: uids[round % 2]) }
    }
    for _ in 0..<100 {
      let saved = try await programs.other.auth.savedUsers()
      #expect(saved.map(\.uid).sorted() == uids.sorted() && saved.count(where: \.isCurrent) == 1)
    }
    try await switches.value
  }

  // MARK: A handle that was kept

  @Test(arguments: [true, false])
  func `a handle of a user who was replaced spends no rotating token a second time`(keepsUsers: Bool) async throws {
    let backend = RotatingBackend(), store = MemoryCredentialStore(keepsUsers: keepsUsers)
    let auth = Auth(.forTests(backend, store, ManualClocks()))
    let ada = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    _ = try await ada.getIDToken(forcingRefresh: true)
    _ = try await auth.createUser(withEmail: Self.bobsEmail, password: Scene.password)
    for _ in 1...3 { _ = try? await auth.updateCurrentUser(ada) }
    _ = try await #require(auth.currentUser).getIDToken(forcingRefresh: true)
    #expect(!backend.wasSpentTwice && auth.currentUser?.uid == ada.uid)
  }
}
