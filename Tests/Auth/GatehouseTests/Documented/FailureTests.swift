import Gatehouse
import GatehouseTesting
import Testing

@Test func `a lost network ends no session`() async throws {
  let backend = ScriptedBackend()
  let auth = Auth(.init(backend: backend))
  let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user

  backend.fail(.refresh, AuthError(.networkError, "there is no network"))
  await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
  #expect(auth.currentUser?.uid == user.uid)

  // The next refresh is answered, as nothing more is scripted.
  _ = try await user.getIDToken(forcingRefresh: true)
  #expect(backend.count(of: .refresh) == 2)
  try await auth.close()
}
