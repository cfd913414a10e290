import Gatehouse
import GatehouseTesting
import IdentityToolkit
import Testing

struct CredentialTests {
  private func code(_ call: () async throws -> Void) async -> AuthError.Code? {
    do { try await call() } catch { return (error as? AuthError)?.code }
    return nil
  }

  private func link(_ scene: Scene, to email: String = Scene.email) async throws -> String {
    let settings = ActionCodeSettings()
    settings.handleCodeInApp = true
    try await scene.auth.sendSignInLink(toEmail: email, actionCodeSettings: settings)
    return "http://localhost/?mode=signIn&oobCode=\(try #require(scene.backend.messages.last?.code))"
  }

  @Test func `a credential signs in`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let credential = EmailAuthProvider.credential(withEmail: Scene.email, password: Scene.password)
    let result = try await scene.auth.signIn(with: credential)
    #expect(result.user.uid == user.uid)
    #expect(result.additionalUserInfo?.providerID == "password")
  }

  @Test func `a link signs in, and tells a new user`() async throws {
    let scene = Scene()
    let first = try await scene.auth.signIn(withEmail: Scene.email, link: try await link(scene))
    #expect(first.additionalUserInfo?.isNewUser == true)
    let again = try await scene.auth.signIn(withEmail: Scene.email, link: try await link(scene))
    #expect(again.additionalUserInfo?.isNewUser == false)
    #expect(again.user.uid == first.user.uid)
  }

  @Test(arguments: ["", "nonsense", "http://localhost/?mode=resetPassword&oobCode=x", "http://localhost/?mode=signIn"])
  func `what is no sign-in link is refused before it is sent`(link: String) async throws {
    let (scene, user) = try await Scene.signedIn()
    let credential = EmailAuthProvider.credential(withEmail: Scene.email, link: link)
    let calls = scene.backend.calls.count
    #expect(await code { _ = try await scene.auth.signIn(withEmail: Scene.email, link: link) } == .invalidArgument)
    #expect(await code { _ = try await scene.auth.signIn(with: credential) } == .invalidArgument)
    #expect(await code { _ = try await user.link(with: credential) } == .invalidArgument)
    #expect(await code { _ = try await user.reauthenticate(with: credential) } == .invalidArgument)
    #expect(scene.backend.calls.count == calls)
    #expect(credential.provider == "password")
    #expect(!"\(credential)".contains("oobCode"))
  }

  @Test func `a link gives an anonymous user an address`() async throws {
    let scene = Scene()
    let guest = try await scene.auth.signInAnonymously().user
    let credential = EmailAuthProvider.credential(withEmail: Scene.email, link: try await link(scene))
    let linked = try await guest.link(with: credential)
    #expect(linked.user == guest)
    #expect(guest.email == Scene.email)
    #expect(!guest.isAnonymous)
  }

  @Test func `a custom token signs in the user whom the ID token names`() async throws {
    let scene = Scene()
    let result = try await scene.auth.signIn(withCustomToken: "custom:ada")
    #expect(result.user.uid == "ada")
    #expect(!result.user.isAnonymous)
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(result.additionalUserInfo?.providerID == nil)
    #expect(await code { _ = try await scene.auth.signIn(withCustomToken: "x") } == .invalidCustomToken)
    #expect(scene.auth.currentUser == result.user)
    // A user of a custom token can sign in again: an anonymous sign-in replaces them.
    #expect(try await scene.auth.signInAnonymously().user.uid != "ada")
  }

  @Test func `an answer whose ID token names no user, or another one than the look-up, is not used`() async throws {
    for (token, uid) in [("a.b.c", "ada"), ("x", "ada"), ("e30.e30.x", "ada"), ("e30.eyJzdWIiOiJldmUifQ.x", "ada")] {
      let scene = Scene { $0.backend = FixedTokens(idToken: token, uid: uid) }
      #expect(await code { _ = try await scene.auth.signIn(withCustomToken: "t") } == .internalError)
      #expect(scene.auth.currentUser == nil)
    }
  }

  @Test func `an address is changed, and the session goes on`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await user.updateEmail(to: "countess@example.com")
    #expect(user.email == "countess@example.com")
    #expect(scene.auth.currentUser == user)
    _ = try await user.getIDToken(forcingRefresh: true)
    #expect(await code { try await user.updateEmail(to: "countess@example.com") } == .emailAlreadyInUse)
  }

  @Test func `a way to sign in is taken away`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let same = try await user.unlink(fromProvider: EmailAuthProvider.id)
    #expect(same == user)
    #expect(user.providerData.isEmpty)
    #expect(await code { _ = try await user.unlink(fromProvider: EmailAuthProvider.id) } == .noSuchProvider)
    #expect(await code { _ = try await user.unlink(fromProvider: "google.com") } == .noSuchProvider)
    #expect(scene.backend.count(of: .update) == 1)
  }
}

/// Answers a sign-in by custom token with a token of the test's.
private struct FixedTokens: Backend {
  let idToken: String
  let uid: String

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    let answer: Any
    switch call {
    case is SignInWithCustomToken:
      answer = SignInWithCustomToken.Response(
        idToken: Secret(idToken), refreshToken: Secret("r"), expiresIn: .seconds(3600), isNewUser: false)
    case is Lookup: answer = Lookup.Response(users: [Account(localId: uid)])
    default: throw .unsupported(C.self)
    }
    guard let answer = answer as? C.Response else { throw .unsupported(C.self) }
    return answer
  }
}
