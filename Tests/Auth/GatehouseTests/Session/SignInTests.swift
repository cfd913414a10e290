import Gatehouse
import GatehouseBase
import GatehouseTesting
import Testing

struct SignInTests {
  @Test func `an account is made and signed in`() async throws {
    let (scene, user) = try await Scene.signedIn()
    #expect(scene.auth.currentUser == user)
    #expect(user.email == Scene.email)
    #expect(scene.auth.state == .signedIn(user))
    #expect(try await scene.store.load()?.profile.email == Scene.email)
  }

  @Test func `signing in again makes another session`() async throws {
    let (scene, first) = try await Scene.signedIn()
    let second = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password).user
    #expect(first.uid == second.uid && first != second)
    await #expect(throws: AuthError.self) { try await first.getIDToken() }
  }

  @Test func `a wrong password changes nothing`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let error = await #expect(throws: AuthError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: "wrong")
    }
    #expect(error?.code == .wrongPassword)
    #expect(scene.auth.currentUser == user)
    #expect(try await user.getIDToken().isEmpty == false)
  }

  @Test func `an empty password is a wrong one, and no request`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let credential = EmailAuthProvider.credential(withEmail: Scene.email, password: "")
    for call in [
      { _ = try await scene.auth.signIn(withEmail: Scene.email, password: "") },
      { _ = try await scene.auth.signIn(with: credential) },
      { _ = try await user.reauthenticate(with: credential) },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: AuthError.self) { try await call() }
      #expect(error?.code == .wrongPassword)
    }
    #expect(scene.backend.count(of: .signIn) == 0)
  }

  @Test func `the session is restored`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await scene.auth.flush()
    let again = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    try await again.auth.ready()
    #expect(again.auth.currentUser?.uid == user.uid)
    #expect(again.auth.currentUser?.email == Scene.email)
    #expect(again.backend.count(of: .refresh) == 0)
  }

  @Test func `while the session is restored the current user is nil and the state says so`() async throws {
    let (first, _) = try await Scene.signedIn()
    first.store.hold(.load)
    let again = Scene(backend: first.backend, store: first.store, clocks: first.clocks)
    #expect(again.auth.currentUser == nil)
    #expect(again.auth.state == .restoring)
    first.store.release(.load)
    try await again.auth.ready()
    #expect(again.auth.currentUser != nil)
  }

  @Test func `an anonymous user signs in, stays who he is, and gets a password`() async throws {
    let scene = Scene()
    let user = try await scene.auth.signInAnonymously().user
    #expect(user.isAnonymous)
    #expect(try await scene.auth.signInAnonymously().user == user)
    let linked = try await user.link(with: EmailAuthProvider.credential(withEmail: "b@example.com", password: "secret"))
    #expect(linked.user == user && !user.isAnonymous && user.email == "b@example.com")
    let error = await #expect(throws: AuthError.self) {
      try await user.link(with: EmailAuthProvider.credential(withEmail: "c@example.com", password: "secret"))
    }
    #expect(error?.code == .providerAlreadyLinked)
  }

  @Test func `of two sign-ins at once the last started wins`() async throws {
    let (scene, _) = try await Scene.signedIn()
    _ = try await scene.auth.createUser(withEmail: "b@example.com", password: Scene.password)
    scene.backend.hold(.signIn)
    let first = Task { () throws(AuthError) in
      try await typed { try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password) }
    }
    await scene.backend.waitForCall(.signIn, count: 1)
    let second = Task { () throws(AuthError) in
      try await typed { try await scene.auth.signIn(withEmail: "b@example.com", password: Scene.password) }
    }
    await scene.backend.waitForCall(.signIn, count: 2)
    scene.backend.release(.signIn)
    let winner = try await second.value.user
    let error = await #expect(throws: AuthError.self) { try await first.value }
    #expect(error?.code == .superseded)
    #expect(scene.auth.currentUser == winner && winner.email == "b@example.com")
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.profile.email == "b@example.com")
  }

  @Test func `a sign-out ends a sign-in under way`() async throws {
    let (scene, _) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    let signIn = Task { () throws(AuthError) in
      try await typed { try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password) }
    }
    await scene.backend.waitForCall(.signIn)
    try scene.auth.signOut()
    scene.backend.release(.signIn)
    let error = await #expect(throws: AuthError.self) { try await signIn.value }
    #expect(error?.code == .superseded)
    #expect(scene.auth.currentUser == nil)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `a cancelled sign-in is released at once and changes nothing`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    let signIn = Task { () throws(AuthError) in
      try await typed { try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password) }
    }
    await scene.backend.waitForCall(.signIn)
    signIn.cancel()
    let error = await #expect(throws: AuthError.self) { try await signIn.value }
    #expect(error?.code == .cancelled)
    scene.backend.release(.signIn)
    _ = try await user.reload()
    #expect(scene.auth.currentUser == user)
  }

  @Test func `a backend that never answers meets the timeout`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    let signIn = Task { () throws(AuthError) in
      try await typed {
        try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password, timeout: .seconds(5))
      }
    }
    await scene.backend.waitForCall(.signIn)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    let error = await #expect(throws: AuthError.self) { try await signIn.value }
    #expect(error?.code == .deadlineExceeded)
    scene.backend.release(.signIn)
    try await user.reload()
    #expect(scene.auth.currentUser == user)
  }

  @Test func `a sign-in that cannot be stored fails, and the state is as it was`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.store.fail(.write, with: AuthError(.storeFailed, "the disk is full"))
    let error = await #expect(throws: AuthError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    #expect(error?.code == .storeFailed)
    #expect(scene.auth.currentUser == user)
  }
}
