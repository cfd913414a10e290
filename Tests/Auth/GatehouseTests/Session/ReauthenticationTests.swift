import Gatehouse
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

struct ReauthenticationTests {
  private static let credential = EmailAuthProvider.credential(withEmail: Scene.email, password: Scene.password)

  private func code(_ call: () async throws -> Void) async -> AuthError.Code? {
    do { try await call() } catch { return (error as? AuthError)?.code }
    return nil
  }

  @Test func `the session goes on with the tokens of the new sign-in, and they are stored`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let before = try await user.getIDToken()
    let result = try await user.reauthenticate(with: Self.credential)
    #expect(result.user == user)
    #expect(result.additionalUserInfo?.isNewUser == false)
    #expect(scene.auth.currentUser == user)
    let after = try await user.getIDToken()
    #expect(after != before)
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.tokens.idToken == Secret(after))
  }

  @Test func `another user's credential changes nothing`() async throws {
    let (scene, user) = try await Scene.signedIn()
    _ = try await scene.backend.answer(SignUp(email: "eve@example.com", password: Secret("a password")))
    let before = try await user.getIDToken()
    for email in ["eve@example.com", "unknown@example.com"] {
      let credential = EmailAuthProvider.credential(withEmail: email, password: "a password")
      #expect(await code { _ = try await user.reauthenticate(with: credential) } == .userMismatch)
    }
    #expect(await code { _ = try await user.reauthenticate(with: .init("wrong")) } == .wrongPassword)
    #expect(try await user.getIDToken() == before)
    #expect(scene.auth.currentUser == user)
  }

  @Test func `the credential of a disabled account ends no session`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let eve = try await scene.backend.answer(SignUp(email: "eve@example.com", password: Secret("a password")))
    scene.backend.change(eve.localId) { $0.disabled = true }
    let credential = EmailAuthProvider.credential(withEmail: "eve@example.com", password: "a password")
    #expect(await code { _ = try await user.reauthenticate(with: credential) } == .userDisabled)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == user)
    #expect(try await scene.store.load() != nil)
  }

  @Test func `a refresh that has waited too long in line holds up no later one`() async throws {
    let (scene, user) = try await Scene.signedIn { $0.timeouts.call = .seconds(90) }
    scene.backend.hold(.refresh)
    scene.backend.hold(.signIn)
    let first = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    let again = Delivery { user.reauthenticate(with: Self.credential, completion: $0) }
    // Each call has its turn on the work queue, and the reauthentication one step between two of them.
    let handle = scene.auth.addStateDidChangeListener { _, _ in }
    for _ in 1...50 { scene.auth.removeStateDidChangeListener(handle) }
    scene.clocks.advance(by: 1)
    let second = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.clocks.waitForSleeper(of: .seconds(30))
    scene.backend.releaseOne(.refresh)
    _ = try await first.value
    // The reauthentication is before it in line, or after it; then it has no answer.
    scene.clocks.advance(by: 31)
    #expect(await second.error?.code == .deadlineExceeded)
    scene.backend.release(.refresh)
    scene.backend.release(.signIn)
    _ = try await again.value
    scene.clocks.advance(by: 3_600)
    let sent = scene.backend.count(of: .refresh)
    scene.backend.hold(.refresh)
    let third = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh, count: sent + 1)
    let fourth = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    scene.backend.release(.refresh)
    _ = try await third.value
    #expect(try await fourth.value.isEmpty == false)
  }

  @Test func `a refresh under way is overtaken by no reauthentication, and does not undo it`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    scene.backend.hold(.signIn)
    let refresh = Task { try await user.getIDToken(forcingRefresh: true) }
    await scene.backend.waitForCall(.refresh)
    let again = Task { try await user.reauthenticate(with: Self.credential) }
    // In its turn: it is not sent while the refresh is under way.
    scene.backend.release(.refresh)
    let refreshed = try await refresh.value
    await scene.backend.waitForCall(.signIn)
    #expect(scene.backend.calls.suffix(2) == [.refresh, .signIn])
    scene.backend.release(.signIn)
    _ = try await again.value
    #expect(try await user.getIDToken() != refreshed)
  }

  @Test func `an answer after the sign-out is dropped`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    let again = Task { await code { _ = try await user.reauthenticate(with: Self.credential) } }
    await scene.backend.waitForCall(.signIn)
    try scene.auth.signOut()
    scene.backend.release(.signIn)
    #expect(await again.value == .nullUser)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `a link of a message reauthenticates, too`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let settings = ActionCodeSettings()
    settings.handleCodeInApp = true
    try await scene.auth.sendSignInLink(toEmail: Scene.email, actionCodeSettings: settings)
    let code = try #require(scene.backend.messages.last?.code)
    let link = "http://localhost/?mode=signIn&oobCode=\(code)"
    _ = try await user.reauthenticate(with: EmailAuthProvider.credential(withEmail: Scene.email, link: link))
    #expect(scene.auth.currentUser == user)
  }
}

extension AuthCredential {
  fileprivate init(_ password: String) {
    self = EmailAuthProvider.credential(withEmail: Scene.email, password: password)
  }
}
