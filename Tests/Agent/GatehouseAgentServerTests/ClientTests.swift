import GatehouseAgent
import GatehouseAgentClient
import GatehouseAgentServer
import GatehouseBase
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

/// The client, and the daemon's server at a socket.
struct ClientTests {
  @Test func `a client gets a token over the socket, and a new one when it asks for it`() async throws {
    let scene = try ServedAgent()
    try await ServedAgent.serve(scene.server, clocks: scene.clocks) { _, client in
      let token = try await client.token(of: "a", minValidity: .seconds(120))
      #expect(token.value.revealed == "token-1" && token.lifetime == .seconds(3600))
      #expect(token.received == scene.clocks.now())
      #expect(try await client.refresh("a").value.revealed == "token-2")
      let delivered = await withCheckedContinuation { caller in
        client.token(of: "a") { result in caller.resume(returning: result) }
      }
      #expect(try delivered.get().value.revealed == "token-2")
    }
  }

  @Test func `the daemon's errors come with their code, their message and the time to wait`() async throws {
    let scene = try ServedAgent()
    try await ServedAgent.serve(scene.server) { _, client in
      #expect(await refusal { try await client.token(of: "b/../a") }?.code == .accountUnknown)
      scene.source.fail(AuthError(.networkError, "the issuer is away", retryAfter: .seconds(9)))
      #expect(
        await refusal { try await client.token(of: "a") }
          == AuthError(.networkError, "the issuer is away", retryAfter: .seconds(9)))
      scene.clocks.advance(by: .seconds(10))
      scene.source.failAlways(AuthError(.userTokenExpired, "sign in again"))
      #expect(await refusal { try await client.refresh("a") } == AuthError(.userTokenExpired, "sign in again"))
    }
  }

  @Test func `the rules see the program that asks`() async throws {
    let own = try CurrentProcess.executable(), user = try ServedAgent.user()
    for (rule, code) in [
      (ClientRule(user: user, executable: own, accounts: .all), nil),
      (ClientRule(user: user, executable: own + "-2", accounts: .all), AuthError.Code.operationNotAllowed),
      (ClientRule(user: user + 1, accounts: .all), .operationNotAllowed),
    ] {
      let scene = try ServedAgent([rule])
      try await ServedAgent.serve(scene.server) { _, client in
        #expect(await refusal { try await client.token(of: "a") }?.code == code)
      }
    }
  }

  @Test func `without a daemon the error says how to start one`() async throws {
    let error = await refusal { try await AgentClient(socket: "/nowhere/agent.socket").token(of: "a") }
    #expect(error == AuthError(.networkError, "no agent listens at /nowhere/agent.socket; start one: gate agent"))
  }

  @Test func `a server that does not answer meets the timeout`() async throws {
    let scene = try ServedAgent()
    scene.source.hold()
    try await ServedAgent.serve(scene.server, timeout: .milliseconds(10)) { _, client in
      #expect(await refusal { try await client.token(of: "a") }?.code == .deadlineExceeded)
      scene.source.release()
    }
  }

  @Test(arguments: [
    ServerResponse(status: 200, body: Array("{}".utf8)), ServerResponse(status: 200, body: Array("a page".utf8)),
    ServerResponse(status: 200, body: Array(#"{"token": "t"}"#.utf8)), ServerResponse(status: 200),
    ServerResponse(status: 500, body: Array("{}".utf8)), ServerResponse(status: 500, body: Array("[]".utf8)),
  ])
  func `an answer that is none of an agent's is refused`(response: ServerResponse) async throws {
    try await ServedAgent.serve(Fixed(response: response)) { _, client in
      #expect(await refusal { try await client.token(of: "a") }?.code == .responseInvalid)
    }
  }

  @Test func `a message of the server cannot command a terminal`() async throws {
    let body = Array(#"{"error": {"number": 17021, "message": "a\u001b[2J"}}"#.utf8)
    try await ServedAgent.serve(Fixed(response: ServerResponse(status: 409, body: body))) { _, client in
      let error = await refusal { try await client.token(of: "a") }
      #expect(error?.code == .userTokenExpired && error?.message.contains("\u{1B}") == false)
    }
  }

  private struct Fixed: RequestHandler {
    let response: ServerResponse

    func answer(_ request: ServerRequest) async -> ServerResponse { response }
  }

  @Test func `a request that is too long is refused, and others are answered`() async throws {
    let scene = try ServedAgent()
    var limits = HTTPLimits()
    limits.bodyLength = 4096
    try await ServedAgent.serve(scene.server, limits: limits) { path, client in
      async let answer = onThread {
        let stream = try UnixStream(path, patience: Double(Watchdog.seconds))
        try stream.send(Array("POST /v1/reload HTTP/1.1\r\nHost: agent\r\nContent-Length: 41943040\r\n\r\n".utf8))
        return try stream.receiveAll(limit: 10_000)
      }
      let half = try UnixStream(path, patience: Double(Watchdog.seconds))
      try half.send(Array("GET /v1/acc".utf8))
      #expect(try await client.token(of: "a").value.revealed == "token-1")
      #expect(try await answer?.starts(with: Array("HTTP/1.1 413 ".utf8)) == true)
    }
  }

  // MARK: The socket's path

  @Test func `the socket is where the environment says, in this order`() throws {
    var variables = [
      "GATEHOUSE_AGENT_SOCKET": "/s", "GATEHOUSE_HOME": "/g", "XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/x",
      "HOME": "/h",
    ]
    func path(home: String? = nil) throws -> String { try AgentSocket.path(home: home) { variables[$0] } }
    #expect(try path(home: "/n") == "/s")
    variables["GATEHOUSE_AGENT_SOCKET"] = ""
    #expect(try path(home: "/n") == "/n/agent/agent.socket")
    #expect(try path() == "/g/agent/agent.socket")
    variables["GATEHOUSE_HOME"] = nil
    #expect(try path() == "/r/gatehouse/agent.socket")
    variables["XDG_RUNTIME_DIR"] = "r"
    #expect(try path() == "/x/gatehouse/agent/agent.socket")
    variables["XDG_STATE_HOME"] = "x"
    #expect(try path() == "/h/.local/state/gatehouse/agent/agent.socket")
    variables["HOME"] = nil
    #expect(#expect(throws: AuthError.self) { try path() }?.code == .invalidArgument)
  }
}
