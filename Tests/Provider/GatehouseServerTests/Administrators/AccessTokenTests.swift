import Foundation
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Testing

/// The credential of an administrator over HTTP.
struct AccessTokenTests {
  private static let endpoint = "http://localhost/token"

  @Test func `many calls at once share one access token, which is fetched once`() async throws {
    let scene = try await AdminScene()
    let admin = scene.admin
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { (try? await admin.listUsers()) != nil } }
      for await succeeded in group { #expect(succeeded) }
    }
    #expect(scene.wire.count("/token") == 1)
    #expect(scene.wire.count("accounts:batchGet") == 20)
  }

  @Test func `an access token is used until shortly before its end`() async throws {
    let scene = try await AdminScene()
    _ = try await scene.admin.listUsers()
    scene.scene.clock.advance(by: 3299)
    _ = try await scene.admin.listUsers()
    #expect(scene.wire.count("/token") == 1)
    scene.scene.clock.advance(by: 1)
    _ = try await scene.admin.listUsers()
    #expect(scene.wire.count("/token") == 2)
  }

  @Test func `a token that the server refuses is replaced, once`() async throws {
    let scene = try await AdminScene()
    _ = try await scene.admin.listUsers()
    scene.wire.intercept { request in
      request.url.contains("batchGet") ? TransportResponse(status: 401, url: request.url) : nil
    }
    _ = try await scene.admin.listUsers()
    #expect(scene.wire.count("/token") == 2)
    for _ in 1...2 {
      scene.wire.intercept { request in
        request.url.contains("batchGet") ? TransportResponse(status: 401, url: request.url) : nil
      }
    }
    await expectRefusal(.adminRestrictedOperation) { try await scene.admin.listUsers() }
    #expect(scene.wire.count("/token") == 3)
  }

  @Test func `an administrator whose account is deleted is none`() async throws {
    let scene = try await AdminScene()
    _ = try await scene.admin.listUsers()
    _ = try await scene.scene.provider.deleteServiceAccount("backend")
    let error = await expectRefusal(.invalidCredential) { try await scene.admin.listUsers() }
    #expect(error?.message.contains("invalid_grant") == true)
  }

  @Test(arguments: [
    (500, "{}", AuthError.Code.networkError), (503, "", .networkError), (429, "", .tooManyRequests),
    (200, "{}", .responseInvalid), (200, "<html>", .responseInvalid), (404, "<html>", .responseInvalid),
    (200, #"{"access_token":"a b"}"#, .responseInvalid), (200, #"{"access_token":"a\r\nX: y"}"#, .responseInvalid),
    (400, #"{"error":"invalid_grant","error_description":"\u001b[31m"}"#, .invalidCredential),
    (401, #"{"error":"invalid_client"}"#, .invalidCredential),
  ])
  func `what a token endpoint says otherwise is an error, and is not kept`(
    status: Int, body: String, code: AuthError.Code
  ) async throws {
    let scene = try await AdminScene()
    scene.wire.intercept { request in
      guard request.url == Self.endpoint else { return nil }
      return TransportResponse(status: status, body: Array(body.utf8), url: request.url)
    }
    let error = await expectRefusal(code) { try await scene.admin.listUsers() }
    #expect(error?.message.contains("\u{1B}") == false)
    _ = try await scene.admin.listUsers()
    #expect(scene.wire.count("/token") == 2)
  }

  @Test func `a caller that is cancelled leaves the fetch to the others`() async throws {
    let scene = try await AdminScene()
    let gate = Gate()
    let admin = try await Self.admin(of: scene, over: Gated(gate: gate, wire: scene.wire))
    let first = Task { try await admin.listUsers() }
    await gate.reached()
    let second = Task { try await admin.listUsers() }
    first.cancel()
    await expectRefusal(.cancelled) { try await first.value }
    gate.open()
    #expect(try await second.value.users == [])
    #expect(scene.wire.count("/token") == 1)
  }

  @Test(.endsIfItHangs)
  func `a fetch that does not end is not waited for, and its late failure takes no token away`() async throws {
    let scene = try await AdminScene()
    let gate = Gate()
    let admin = try await Self.admin(of: scene, over: GatedOnce(gate: gate, wire: scene.wire))
    let first = Task { try await admin.listUsers(timeout: .seconds(100_000)) }
    await gate.reached()
    scene.scene.clock.advance(by: 60)
    _ = try await admin.listUsers()
    gate.open()
    await expectRefusal(.networkError) { try await first.value }
    _ = try await admin.listUsers()
    #expect(scene.wire.count("/token") == 1)
  }

  @Test func `a call ends at its deadline, whatever the transport does`() async throws {
    let scene = try await AdminScene()
    var options = AdminOptions()
    options.server = RESTServer(url: "http://localhost")
    let file = try await KeyFile(scene.scene, name: "other", tokenURL: Self.endpoint)
    let admin = AdminAuth(
      credential: .serviceAccount(try ServiceAccount(json: file.text)), options: options,
      transport: Gated(gate: Gate(), wire: scene.wire))
    await expectRefusal(.deadlineExceeded) { try await admin.listUsers(timeout: .zero) }
  }

  /// Another administrator of a scene's server.
  private static func admin(of scene: AdminScene, over transport: any HTTPTransport) async throws -> AdminAuth {
    var options = AdminOptions()
    options.clocks = scene.scene.clock
    options.server = RESTServer(url: "http://localhost")
    let file = try await KeyFile(scene.scene, name: "other", tokenURL: endpoint)
    return AdminAuth(
      credential: .serviceAccount(try ServiceAccount(json: file.text)), options: options, transport: transport)
  }
}

/// A door that stays shut until it is opened.
final class Gate: Sendable {
  private let (arrivals, arrive) = AsyncStream<Void>.makeStream()
  private let (openings, opener) = AsyncStream<Void>.makeStream()

  func pass() async {
    arrive.yield(())
    for await _ in openings { break }
  }

  func reached() async { for await _ in arrivals { break } }
  func open() { opener.finish() }
}

/// Holds up the first request for an access token, which fails then.
struct GatedOnce: HTTPTransport {
  let gate: Gate
  let wire: Wire
  private let isFirst = Lock(true)

  init(gate: Gate, wire: Wire) { (self.gate, self.wire) = (gate, wire) }

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    let isHeld =
      request.url.hasSuffix("/token")
      && isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
    guard isHeld else { return try await wire.send(request) }
    await gate.pass()
    throw AuthError(.networkError, "the connection is gone")
  }
}

/// Holds up the requests for access tokens.
struct Gated: HTTPTransport {
  let gate: Gate
  let wire: Wire

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    if request.url.hasSuffix("/token") { await gate.pass() }
    return try await wire.send(request)
  }
}
