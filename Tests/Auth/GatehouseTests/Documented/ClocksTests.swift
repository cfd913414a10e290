import Gatehouse
import GatehouseTesting
import Testing

@Test func `a token is refreshed when it is no longer valid`() async throws {
  let backend = ScriptedBackend(), clocks = ManualClocks()
  let auth = Auth(.init(backend: backend, clocks: clocks))
  let user = try await auth.signInAnonymously().user

  let first = try await user.getIDToken()
  #expect(try await user.getIDToken() == first)

  clocks.advance(by: .seconds(3600))
  #expect(try await user.getIDToken() != first)
  #expect(backend.count(of: .refresh) == 1)
  try await auth.close()
}
