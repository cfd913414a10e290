import Dispatch
import Foundation
import Gatehouse
import GatehouseAgent
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseREST
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// An account whose session is at a server that rotates refresh tokens and misbehaves for a while.
struct FaultyServerTests {
  @Test(.endsIfItHangs, arguments: [FaultyServer.Fault.unavailable, .garbage, .garbageAfterRotation])
  func `a server that misbehaves costs no session, and the token at hand is lent meanwhile`(
    fault: FaultyServer.Fault
  ) async throws {
    try await ServedSession.with { session in
      let first = try await session.agent.refresh("a")
      session.server.begin(fault)
      for _ in 0..<3 {
        let error = await refusal { try await session.agent.refresh("a") }
        #expect(
          error.map { [.networkError, .responseInvalid, .internalError].contains($0.code) } == true,
          "\(String(describing: error))")
      }
      #expect(try await session.agent.token(of: "a").value == first.value)
      session.server.begin(nil)
      for _ in 0..<2 { try await session.agent.refresh("a") }
      #expect(session.agent.statuses.first?.state == .lending)
      #expect(!session.sawReuse)
    }
  }
}

/// A server with rotation, and an agent whose account `a` is a session there. Only the test moves the clocks of the
/// agent and of the provider: a slow machine uses up no grace.
private struct ServedSession: Sendable {
  let clocks = ManualClocks()
  let server: FaultyServer
  let agent: Agent
  private let folder: String

  static func with(_ body: (ServedSession) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "gatehouse-" + SystemRandomSource().identifier().prefix(8)
    try OpenFolder.make(folder)
    let session = try await ServedSession(folder)
    let result: Result<Void, any Error>
    do { result = .success(try await body(session)) } catch { result = .failure(error) }
    try await session.server.stop()
    try OpenFolder.removeAll(at: folder)
    try result.get()
  }

  private init(_ folder: String) async throws {
    self.folder = folder
    var options = LocalOptions()
    options.clocks = clocks
    options.rotatesRefreshTokens = true
    options.signing = .es256
    server = FaultyServer(LocalBackend(directory: folder + "/provider", options: options))
    let backend = RESTBackend(apiKey: "k", options: RESTOptions(server: RESTServer(url: try await server.start())))
    let auth = Auth(
      .init(backend: backend, store: .file(folder + "/session"), callbackQueue: .global(), clocks: clocks))
    _ = try await auth.signInAnonymously()
    try await auth.close()
    agent = Agent(Agent.Configuration(callbackQueue: DispatchQueue(label: "test"), clocks: clocks))
    try agent.add("a", SessionSource(path: folder + "/session", backend: backend, clocks: clocks))
  }

  /// Whether the provider took a refresh token for a stolen one.
  var sawReuse: Bool {
    let log = try? String(contentsOfFile: folder + "/provider/audit/security.jsonl", encoding: .utf8)
    return log?.contains("refreshTokenReused") ?? false
  }
}

/// An `IdentityServer` whose refreshes can be spoiled.
final class FaultyServer: RequestHandler {
  enum Fault: Sendable {
    case unavailable, garbage
    /// The provider has spent the refresh token, and the client does not get the next one.
    case garbageAfterRotation
  }

  private let provider: LocalBackend
  private let server: IdentityServer
  private let fault = Lock<Fault?>(nil)
  private let http = Lock<HTTPServer?>(nil)

  init(_ provider: LocalBackend) {
    self.provider = provider
    server = IdentityServer(provider)
  }

  func start() async throws -> String {
    let server = HTTPServer(self)
    http.withLock { $0 = server }
    return "\(try await server.start())"
  }

  func stop() async throws {
    begin(nil)
    try await http.withLock { $0 }?.stop()
    try await provider.close()
  }

  /// Begins a fault of all refreshes; `nil` ends it.
  func begin(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

  func answer(_ request: ServerRequest) async -> ServerResponse {
    guard request.path.hasSuffix("/v1/token"), let fault = fault.withLock({ $0 }) else {
      return await server.answer(request)
    }
    switch fault {
    case .unavailable: return ServerResponse(status: 503)
    case .garbage: return Self.garbage
    case .garbageAfterRotation:
      _ = await server.answer(request)
      return Self.garbage
    }
  }

  private static let garbage = ServerResponse(status: 200, body: Array("<html>it works</html>".utf8))
}
