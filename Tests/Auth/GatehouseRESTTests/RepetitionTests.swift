import GatehouseBase
import GatehouseHTTP
import GatehouseREST
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// A call is sent again only where that can change nothing.
@Suite(.endsIfItHangs) struct RepetitionTests {
  private let clocks = ManualClocks()
  private let transport: RecordingTransport
  private let backend: RESTBackend
  private static let host = "https://identitytoolkit.googleapis.com/v1/accounts:"
  private static let account = Array(#"{"users":[{"localId":"u"}]}"#.utf8)
  private static let failures: [RecordingTransport.Answer] = [
    .failure(AuthError(.networkError, "gone")), .status(500), .status(502), .status(503), .status(504),
  ]

  init() {
    transport = RecordingTransport(clocks: clocks)
    let options = RESTOptions(server: .google, clocks: clocks, random: SeededRandomSource(seed: 1))
    backend = RESTBackend(apiKey: "k", options: options, transport: transport)
  }

  @Test(arguments: failures.indices) func `a question is asked again`(index: Int) async throws {
    transport.answer(Self.host + "lookup?key=k", Self.failures[index], .status(200, body: Self.account))
    async let answer = backend.answer(Lookup(idToken: Secret("t")))
    await clocks.waitForSleepers(1)
    clocks.advance(by: .seconds(5))
    #expect(try await answer.users?.first?.localId == "u")
    #expect(transport.requests.count == 2)
  }

  @Test(arguments: failures.indices)
  func `what may have been done already is not done again`(index: Int) async throws {
    transport.answer(Self.host + "signUp?key=k", Self.failures[index])
    await #expect(throws: AuthError.self) { try await backend.answer(SignUp()) }
    #expect(transport.requests.count == 1)
  }

  @Test func `an answer that is too long is not asked for again`() async throws {
    transport.answer(Self.host + "lookup?key=k", .failure(AuthError(.responseTooLarge, "too long")))
    await #expect(throws: AuthError.self) { try await backend.answer(Lookup(idToken: Secret("t"))) }
    #expect(transport.requests.count == 1)
  }

  @Test func `what a server does not know it will not know the next time`() async throws {
    transport.answer(Self.host + "lookup?key=k", .status(501))
    await #expect(throws: AuthError.self) { try await backend.answer(Lookup(idToken: Secret("t"))) }
    #expect(transport.requests.count == 1)
  }

  @Test func `a refresh is the session's to repeat`() async throws {
    transport.answer("https://securetoken.googleapis.com/v1/token?key=k", .status(503))
    await #expect(throws: AuthError.self) {
      try await backend.answer(ExchangeRefreshToken(refreshToken: Secret("r")))
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `what the server has refused as too much was not done, and is done after the time that it asks for`()
    async throws
  {
    transport.answer(
      Self.host + "delete?key=k", .status(429, headers: ["Retry-After": "3"]), .status(200, body: Array("{}".utf8)))
    async let answer = backend.answer(Delete(idToken: Secret("t")))
    await clocks.waitForSleeper(of: .seconds(3))
    #expect(transport.requests.count == 1)
    clocks.advance(by: .seconds(3))
    _ = try await answer
    #expect(transport.requests.count == 2)
  }

  @Test func `a server that asks for long is left alone, and its caller is told how long`() async throws {
    transport.answer(Self.host + "lookup?key=k", .status(429, headers: ["Retry-After": "60"]))
    await #expect {
      try await backend.answer(Lookup(idToken: Secret("t")))
    } throws: {
      ($0 as? AuthError)?.retryAfter == .seconds(60)
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `a question is not asked for ever`() async throws {
    transport.answer(Self.host + "lookup?key=k", .status(503))
    let task = Task { [backend] in try await backend.answer(Lookup(idToken: Secret("t"))) }
    for _ in 0..<2 {
      await clocks.waitForSleepers(1)
      clocks.advance(by: .seconds(5))
    }
    await #expect { try await task.value } throws: { ($0 as? AuthError)?.code == .networkError }
    #expect(transport.requests.count == 3)
  }

  @Test func `a caller that gives up between two attempts is released at once`() async throws {
    transport.answer(Self.host + "lookup?key=k", .status(503))
    let task = Task { [backend] in try await backend.answer(Lookup(idToken: Secret("t"))) }
    await clocks.waitForSleepers(1)
    task.cancel()
    let result = await task.result
    #expect(throws: AuthError.self) { try result.get() }
    #expect(transport.requests.count == 1)
  }

  @Test func `a change goes on to its end though its caller gives up`() async throws {
    let body = #"{"localId":"u","idToken":"new","refreshToken":"r","expiresIn":"3600"}"#
    transport.answer(Self.host + "update?key=k", .status(200, body: Array(body.utf8)))
    transport.hold()
    let task = Task { [backend] in try await backend.answer(Update(idToken: Secret("t"))) }
    await transport.waitForRequest()
    task.cancel()
    transport.release()
    #expect(try await task.value.idToken == Secret("new"), "what it has revoked is replaced by this")
  }

  @Test func `a question ends with its caller`() async throws {
    transport.answer(Self.host + "lookup?key=k", .silence)
    let task = Task { [backend] in try await backend.answer(Lookup(idToken: Secret("t"))) }
    await transport.waitForRequest()
    task.cancel()
    let result = await task.result
    #expect { try result.get() } throws: { ($0 as? AuthError)?.code == .cancelled }
  }
}
