import GatehouseBase
import GatehouseHTTP
import GatehouseTesting
import GatehouseURLSession
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct URLSessionTransportTests {
  private let server: LoopbackServer
  private let clocks = ManualClocks()
  private let transport: URLSessionTransport

  init() throws {
    server = try LoopbackServer()
    transport = URLSessionTransport(clocks: clocks)
  }

  private func outcome(of request: TransportRequest) async -> Result<TransportResponse, AuthError> {
    do throws(AuthError) { return .success(try await transport.send(request)) } catch { return .failure(error) }
  }

  private func code(of request: TransportRequest) async -> AuthError.Code? {
    if case .failure(let error) = await outcome(of: request) { error.code } else { nil }
  }

  @Test(arguments: HTTPTransportContract.all)
  func `it keeps the contract`(_ check: HTTPTransportContract.Check) async throws {
    let other = try LoopbackServer()
    let vacant = try LoopbackServer.vacantURL()
    try await check.run {
      .init(
        transport: transport, clocks: clocks, serve: { [server] in server.serve($0, .like($1)) },
        serveElsewhere: { other.serve($0, .like($1)) }, received: { [server] in server.received }, vacantURL: vacant)
    }
  }

  @Test(arguments: TransportSocketCheck.all)
  func `it holds over a real socket`(_ check: TransportSocketCheck) async throws {
    try await check.run(on: .init(transport: transport, clocks: clocks))
  }

  @Test func `a timeout for ever is one, and stops no process`() async {
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer()
      let url = server.serve("/", .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"))
      let request = TransportRequest(.get, url, timeout: .seconds(Int64.max))
      let response = try await URLSessionTransport().send(request)
      #expect(response.body == Array("a".utf8))
    }
  }

  @Test func `a transport may go while a request that was cancelled is still to begin`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let server = try LoopbackServer()
      let url = server.serve("/", .like(.isSilent))
      for _ in 0..<300 {
        let caller = Task { try await URLSessionTransport().send(TransportRequest(.get, url)) }
        await Task.yield()
        caller.cancel()
        _ = await caller.result
      }
    }
  }

  @Test func `a server without a certificate is a network error over https`() async {
    let url = server.serve("/", .raw("HTTP/1.1 200 OK\r\n\r\n")).replacing("http://", with: "https://")
    #expect(await code(of: TransportRequest(.get, url)) == .networkError)
  }

  /// The reason that `AsyncHTTPTransport` is the default.
  @Test func `an answer that breaks off in its head ends the process: Foundation's fault, and documented`() async {
    await #expect(processExitsWith: .failure) {
      alarm(60)
      let server = try LoopbackServer()
      let url = server.serve("/", .raw("HTTP/1.1 200 OK\r\nContent-Type: appl"))
      _ = try? await URLSessionTransport().send(TransportRequest(.get, url))
    }
  }

  @Test(arguments: ["http://[::1]:9/", "https://[2001:DB8::1]/keys", "https://[::ffff:192.0.2.1]:8443/"])
  func `an IPv6 address is refused with the reason: Foundation connects to none`(_ url: String) async {
    guard case .failure(let error) = await outcome(of: TransportRequest(.get, url)) else {
      Issue.record("Foundation connects to \(url) now: remove the refusal")
      return
    }
    #expect(error.code == .invalidArgument)
    #expect(error.message.contains("IPv6") && error.message.contains("localhost") == url.contains("[::1]"))
  }

  @Test func `a request for a key in its address shows neither in its errors`() async throws {
    let url = try LoopbackServer.vacantURL() + "?key=hush"
    guard case .failure(let error) = await outcome(of: TransportRequest(.get, url)) else {
      Issue.record("there is a server")
      return
    }
    #expect(!error.description.contains("hush"))
  }

  @Test func `a transport that was let go finishes what it carries`() async throws {
    let url = server.serve("/", .like(.answers(200, body: [7])))
    #expect(try await URLSessionTransport().send(TransportRequest(.get, url)).body == [7])
  }
}
