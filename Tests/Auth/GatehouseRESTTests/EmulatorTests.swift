import Gatehouse
import GatehouseHTTP
import GatehouseREST
import GatehouseTesting
import TestSupport
import Testing

/// `useEmulator(withHost:port:)`, before anything else is asked.
struct EmulatorTests {
  private let transport = RecordingTransport()

  private func auth(_ backend: some Backend) -> Auth {
    Auth(.init(backend: backend, store: MemoryCredentialStore(), timeouts: .patient))
  }

  @Test func `an Auth's calls go to the emulator, and to nothing before it`() async throws {
    let auth = auth(.identityPlatform(apiKey: "k", options: RESTOptions(server: .google), transport: transport))
    try await auth.ready()
    try auth.useEmulator(withHost: "localhost", port: 9099)
    _ = try? await auth.signInAnonymously()
    #expect(
      transport.requests.map(\.url)
        == ["http://localhost:9099/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"])
    try await auth.close()
  }

  @Test func `after the first call it is refused, and the server stays`() async throws {
    let backend = RESTBackend(apiKey: "k", options: RESTOptions(server: .google), transport: transport)
    let auth = auth(backend)
    _ = try? await auth.signInAnonymously()
    let late = #expect(throws: AuthError.self) { try auth.useEmulator(withHost: "localhost", port: 9099) }
    #expect(late?.code == .operationNotAllowed && late?.message.contains("too late") == true)
    #expect(throws: AuthError.self) { try backend.useEmulator(withHost: "localhost", port: 9099) }
    _ = try? await auth.signInAnonymously()
    #expect(transport.requests.map(\.url).allSatisfy { $0.hasPrefix("https://identitytoolkit.googleapis.com/") })
    #expect(transport.requests.count == 2)
    try await auth.close()
  }

  @Test func `a backend that calls no server has no emulator`() {
    let auth = auth(ScriptedBackend())
    let error = #expect(throws: AuthError.self) { try auth.useEmulator(withHost: "localhost", port: 9099) }
    #expect(error?.code == .operationNotAllowed && error?.message.contains(".identityPlatform") == true)
  }
}
