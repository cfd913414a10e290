import Dispatch
import Foundation
import GatehouseAgent
import GatehouseAgentClient
import GatehouseAgentServer
import GatehouseBase
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import Glibc
import HangGuard
import Logging
import TestSupport
import Testing

/// An agent with the account `a`, whose tokens are scripted, and its server.
struct ServedAgent: Sendable {
  let clocks = ManualClocks()
  let source: ScriptedTokenSource
  let agent: Agent
  let server: AgentServer
  let log = LogLines()

  /// - Parameter owner: the daemon's user; `nil` for the one that runs the tests.
  init(
    _ rules: [ClientRule] = [], owner: UInt32? = nil,
    reload: @escaping AgentServer.Reload = { () throws(AuthError) in throw AuthError(.closed, "not here") }
  ) throws {
    source = ScriptedTokenSource(clocks: clocks)
    agent = Agent(Agent.Configuration(callbackQueue: DispatchQueue(label: "test"), clocks: clocks))
    let figures = AgentFigures(), log = log
    try agent.add("a", figures.counting(source, clocks: clocks))
    server = AgentServer(
      agent, rules: ClientRules(rules, owner: try owner ?? Self.user()), process: 42, figures: figures,
      logger: Logger(label: "test") { _ in log }, reload: reload)
  }

  /// The user that runs the tests.
  static func user() throws -> UInt32 { try #require(peer().user) }

  /// The process of the tests, as a server sees it.
  ///
  /// - Parameter isKnown: whether its executable is known.
  static func peer(isKnown: Bool = true) throws -> PeerProcess {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { close(ends[0]) }
    defer { if isKnown { close(ends[1]) } }
    guard !isKnown else { return try PeerProcess(of: ends[0]) }
    close(ends[1])
    return try PeerProcess(of: ends[0], hasHandles: false)
  }

  /// The status and the JSON of an answer to a program of this user.
  func answer(_ method: String, _ target: String, body: [UInt8] = []) async throws -> (status: Int, json: JSONObject) {
    try await answer(method, target, body: body, as: Self.peer())
  }

  /// The status and the JSON of an answer to a program.
  func answer(
    _ method: String, _ target: String, body: [UInt8] = [], as peer: PeerProcess?
  ) async throws -> (status: Int, json: JSONObject) {
    let response = try await response(method, target, body: body, as: peer)
    return (response.status, try JSONObject(parsing: response.body))
  }

  /// The answer to a program.
  func response(
    _ method: String, _ target: String, body: [UInt8] = [], as peer: PeerProcess?
  ) async throws -> ServerResponse {
    var request = ServerRequest(method, target, body: body)
    request.process = peer
    return await server.answer(request)
  }

  /// Serves a handler at a socket, with a client.
  static func serve(
    _ handler: some RequestHandler, limits: HTTPLimits = HTTPLimits(), timeout: Duration = .seconds(Watchdog.seconds),
    clocks: any Clocks = SystemClocks(), _ body: (_ path: String, _ client: AgentClient) async throws -> Void
  ) async throws {
    let folder = NSTemporaryDirectory() + "gatehouse-" + SystemRandomSource().identifier().prefix(8)
    try OpenFolder.make(folder)
    let server = HTTPServer(handler, at: .unix(path: folder + "/socket"), limits: limits)
    _ = try await server.start()
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await body(folder + "/socket", AgentClient(socket: folder + "/socket", timeout: timeout, clocks: clocks)))
    } catch { result = .failure(error) }
    try await server.stop()
    try OpenFolder.removeAll(at: folder)
    try result.get()
  }
}

/// The error of a call; `nil` if it throws none.
func refusal<Value>(_ call: () async throws -> Value) async -> AuthError? {
  do { _ = try await call() } catch { return error as? AuthError }
  return nil
}
