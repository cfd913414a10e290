import Gatehouse
import GatehouseTesting
import IdentityToolkit
import Testing

/// An answer about another user is refused before its tokens are touched, whatever was asked.
struct OtherUserTests {
  /// Ada is signed in; Bob has an account, and tokens that the backend may hand out by mistake.
  private struct Mistake {
    let backend: MistakenBackend
    let scene: Scene
    let ada: User
    let bob: SignInResponse

    init(anonymously: Bool = false) async throws {
      let scripted = ScriptedBackend()
      bob = try await scripted.answer(SignUp(email: "bob@example.com", password: Secret("bob's horse")))
      let backend = MistakenBackend(scripted)
      self.backend = backend
      scene = Scene(backend: scripted) { $0.backend = backend }
      ada =
        anonymously
        ? try await scene.auth.signInAnonymously().user
        : try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
      try await scene.auth.flush()
    }

    /// Expects that a call is refused because of whose answer it got, and that it leaves everything as it was.
    func expectRefusal(
      of kind: ScriptedBackend.Kind, at location: SourceLocation = #_sourceLocation,
      _ call: () async throws -> Void
    ) async throws {
      let (stored, profile, refreshToken) = (try await scene.store.load(), ada.profile, ada.refreshToken)
      backend.mistake(kind, for: bob)
      let error = await #expect(throws: AuthError.self, sourceLocation: location) { try await call() }
      #expect(error?.code == .internalError, sourceLocation: location)
      #expect(error?.message.contains("another user") == true, sourceLocation: location)
      try await scene.auth.flush()
      // The store may hold the mark of a change whose end is not known, and a later generation for it.
      let left = try await scene.store.load()
      #expect(left?.tokens == stored?.tokens && left?.profile == stored?.profile, sourceLocation: location)
      #expect(scene.auth.currentUser == ada && ada.profile == profile, sourceLocation: location)
      #expect(ada.refreshToken == refreshToken, sourceLocation: location)
    }
  }

  @Test func `a refresh that brings another user's tokens is refused`() async throws {
    let mistake = try await Mistake()
    let token = try await mistake.ada.getIDToken()
    try await mistake.expectRefusal(of: .refresh) { _ = try await mistake.ada.getIDToken(forcingRefresh: true) }
    #expect(try await mistake.ada.getIDToken() == token)
  }

  @Test(arguments: [("", "a refresh token"), ("an.id.token", "")])
  func `a refresh that brings an empty token is refused, and costs no session`(
    idToken: String, refreshToken: String
  ) async throws {
    let mistake = try await Mistake()
    var answer = mistake.bob
    (answer.localId, answer.idToken) = (mistake.ada.uid, Secret(idToken))
    answer.refreshToken = Secret(refreshToken)
    mistake.backend.mistake(.refresh, for: answer)
    let token = try await mistake.ada.getIDToken()
    let error = await #expect(throws: AuthError.self) { try await mistake.ada.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .internalError && error?.message.contains("empty token") == true)
    #expect(try await mistake.ada.getIDToken() == token)
  }

  @Test func `a change of the password that brings another user's tokens is refused`() async throws {
    let mistake = try await Mistake()
    let token = try await mistake.ada.getIDToken()
    try await mistake.expectRefusal(of: .update) { try await mistake.ada.updatePassword(to: "battery staple") }
    #expect(try await mistake.ada.getIDToken() == token)
  }

  @Test func `a change of the name that brings another user's tokens is refused`() async throws {
    let mistake = try await Mistake()
    let token = try await mistake.ada.getIDToken()
    let request = mistake.ada.createProfileChangeRequest()
    request.displayName = "Ada"
    try await mistake.expectRefusal(of: .update) { try await request.commitChanges() }
    #expect(try await mistake.ada.getIDToken() == token)
  }

  @Test func `a link that brings another user's tokens is refused`() async throws {
    let mistake = try await Mistake(anonymously: true)
    let token = try await mistake.ada.getIDToken()
    try await mistake.expectRefusal(of: .signUp) {
      _ = try await mistake.ada.link(
        with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "correct horse"))
    }
    #expect(try await mistake.ada.getIDToken() == token)
  }

  @Test func `a reload that tells of another user is refused`() async throws {
    let mistake = try await Mistake()
    try await mistake.expectRefusal(of: .lookup) { try await mistake.ada.reload() }
  }

  @Test func `a sign-in whose account is another user's is refused`() async throws {
    let mistake = try await Mistake()
    try await mistake.expectRefusal(of: .lookup) {
      _ = try await mistake.scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
  }

  @Test func `a sign-up whose account is another user's is refused`() async throws {
    let mistake = try await Mistake()
    try await mistake.expectRefusal(of: .lookup) {
      _ = try await mistake.scene.auth.createUser(withEmail: "eve@example.com", password: Scene.password)
    }
  }

  @Test func `an anonymous sign-in whose account is another user's is refused`() async throws {
    let mistake = try await Mistake()
    try await mistake.expectRefusal(of: .lookup) { _ = try await mistake.scene.auth.signInAnonymously() }
  }

  @Test func `a user who moves to another Auth is refused with another user's account`() async throws {
    let mistake = try await Mistake()
    let others = Scene(backend: mistake.scene.backend)
    let carol = try await others.auth.createUser(withEmail: "carol@example.com", password: Scene.password).user
    try await mistake.expectRefusal(of: .lookup) { try await mistake.scene.auth.updateCurrentUser(carol) }
  }

  @Test func `tokens of a replaced session that are another user's are not moved`() async throws {
    let mistake = try await Mistake()
    let old = mistake.ada
    let auth = mistake.scene.auth
    let eve = try await auth.createUser(withEmail: "eve@example.com", password: Scene.password).user
    try await auth.flush()
    let stored = try await mistake.scene.store.load()
    mistake.backend.mistake(.refresh, for: mistake.bob)
    let lookups = mistake.scene.backend.count(of: .lookup)
    let error = await #expect(throws: AuthError.self) { try await auth.updateCurrentUser(old) }
    #expect(error?.code == .internalError && error?.message.contains("another user") == true)
    #expect(mistake.scene.backend.count(of: .lookup) == lookups, "another user's token was used for a call")
    #expect(auth.currentUser == eve)
    try await auth.flush()
    #expect(try await mistake.scene.store.load() == stored)
  }
}
