import Gatehouse
import GatehouseTesting
import Glibc
import Testing

@Suite struct DefaultAuthTests {
  @Test func `the default Auth is configured once, and asking for it before is an error with advice`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let early = #expect(throws: AuthError.self) { try Auth.auth() }
      #expect(early?.code == .notConfigured && early?.message.contains("Auth.configure(_:)") == true)
      let auth = try Auth.configure(Auth.Configuration(backend: ScriptedBackend()))
      #expect(try Auth.auth() == auth)
      let twice = #expect(throws: AuthError.self) {
        try Auth.configure(Auth.Configuration(backend: ScriptedBackend()))
      }
      #expect(twice?.code == .alreadyConfigured)
      #expect(try Auth.auth() == auth)
    }
  }

  @Test func `several Auths live side by side`() async throws {
    let (first, ada) = try await Scene.signedIn()
    let second = Scene(backend: first.backend)
    let bob = try await second.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    #expect(first.auth.currentUser == ada && second.auth.currentUser == bob)
    try second.auth.signOut()
    #expect(first.auth.currentUser == ada && second.auth.currentUser == nil)
  }
}
