import GatehouseBase
import GatehouseHTTP
import GatehouseTesting
import HangGuard
import NIOPosix
import TestSupport
import Testing

@testable import GatehouseAsyncHTTP

@Suite(.endsIfItHangs) struct AsyncHTTPTransportTests {
  private let server: LoopbackServer
  private let clocks = ManualClocks()
  private let transport: AsyncHTTPTransport

  init() throws {
    server = try LoopbackServer()
    transport = AsyncHTTPTransport(clocks: clocks)
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

  @Test func `a timeout for ever is one, and stops no process`() async throws {
    let url = server.serve("/", .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"))
    let request = TransportRequest(.get, url, timeout: .seconds(Int64.max))
    #expect(try await AsyncHTTPTransport().send(request).body == Array("a".utf8))
  }

  /// In debug builds, a client that is released before it was shut down stops the process.
  @Test func `a transport may go while a request that was cancelled is still to begin`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let server = try LoopbackServer()
      let url = server.serve("/", .like(.isSilent))
      for _ in 0..<300 {
        let caller = Task { try await AsyncHTTPTransport().send(TransportRequest(.get, url)) }
        await Task.yield()
        caller.cancel()
        _ = await caller.result
      }
    }
  }

  @Test func `event loops that are given stay their owner's`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let url = server.serve("/", .like(.answers(200, body: [7])))
    for _ in 0..<2 {
      #expect(try await AsyncHTTPTransport(eventLoopGroup: group).send(TransportRequest(.get, url)).body == [7])
    }
    #expect(try await group.next().submit { 1 }.get() == 1)
    try await group.shutdownGracefully()
  }

  @Test func `a transport that was let go finishes what it carries`() async throws {
    let url = server.serve("/", .like(.answers(200, body: [7])))
    #expect(try await AsyncHTTPTransport().send(TransportRequest(.get, url)).body == [7])
  }

  @Test(arguments: [
    ("", "closed the connection before its answer was complete"), ("nonsense\r\n\r\n", "not one for HTTP"),
    ("HTTP/1.1 200 OK\r\nContent-Type: appl", "closed the connection before its answer was complete"),
    ("HTTP/1.1 200", "closed the connection before its answer was complete"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", "closed the connection before its answer was complete"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "not one for HTTP"),
  ])
  func `a server that breaks off, or speaks another language, is a network error`(
    text: String, reason: String
  ) async throws {
    let url = server.serve("/", .raw(text))
    let error = await #expect(throws: AuthError.self) { try await transport.send(TransportRequest(.get, url)) }
    #expect(error?.code == .networkError && error?.message.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func `a server without a certificate is a network error over https, in words`() async throws {
    let url = server.serve("/", .raw("HTTP/1.1 200 OK\r\n\r\n")).replacing("http://", with: "https://")
    let error = await #expect(throws: AuthError.self) { try await transport.send(TransportRequest(.get, url)) }
    #expect(error?.code == .networkError && error?.message.contains("is that port one for https?") == true)
  }

  @Test func `a request for a key in its address shows neither in its errors`() async throws {
    let address = try LoopbackServer.vacantURL()
    let url = address + "?key=hush"
    let error = await #expect(throws: AuthError.self) { try await transport.send(TransportRequest(.get, url)) }
    let place = address.dropFirst("http://".count).prefix { $0 != "/" }
    #expect(error?.message == "\(place) takes no connection; is the server running, and is this its port?")
  }

  @Test func `a host that no server has is told so`() async throws {
    let error = await #expect(throws: AuthError.self) {
      try await transport.send(TransportRequest(.get, "https://nothing.invalid/"))
    }
    #expect(error?.message.contains("there is no server nothing.invalid") == true, "\(String(describing: error))")
  }
}
