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

  /// What is unpacked cannot be counted before it is there.
  @Test func `no compressed answer is asked for, or taken`() async throws {
    let packed: [UInt8] = [
      0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    let url = server.serve("/", .like(.answers(200, headers: ["Content-Encoding": "gzip"], body: packed)))
    #expect(await code(of: TransportRequest(.get, url, headers: ["Accept-Encoding": "gzip"])) == .responseInvalid)
    let sent = server.received.last?.headers.fields.filter { $0.name.lowercased() == "accept-encoding" }
    #expect(sent?.map(\.value) == ["identity"])
    let plain = server.serve("/plain", .like(.answers(200, headers: ["Content-Encoding": "identity"], body: [1])))
    #expect(try await transport.send(TransportRequest(.get, plain)).body == [1])
  }

  /// Foundation asks for credentials, and waits for them for ever.
  @Test(arguments: [
    (401, "WWW-Authenticate", "Basic realm=\"a\""), (401, "WWW-Authenticate", "Digest realm=\"a\", nonce=\"b\""),
    (401, "WWW-Authenticate", "NTLM"), (401, "WWW-Authenticate", "Negotiate"), (401, "WWW-Authenticate", "Bearer"),
    (401, "X-Other", ""), (407, "Proxy-Authenticate", "Basic realm=\"a\""),
  ])
  func `an answer that asks for credentials is an answer, at once`(
    status: Int, name: String, challenge: String
  ) async throws {
    let body = Array(repeating: UInt8(ascii: "a"), count: 100_000)
    let url = server.serve("/", .like(.answers(status, headers: [name: challenge], body: body)))
    let response = try await transport.send(TransportRequest(.get, url))
    #expect(response.status == status && response.headers[name] == challenge && response.body == body)
    #expect(server.received.count == 1)
  }

  @Test func `a request that was redirected may be asked for credentials`() async throws {
    server.serve("/b", .like(.answers(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""], body: [1])))
    var request = TransportRequest(.get, server.serve("/a", .like(.answers(302, headers: ["Location": "/b"]))))
    request.followsRedirects = true
    #expect(try await transport.send(request).status == 401)
  }

  @Test func `a body in chunks comes together`() async throws {
    let url = server.serve(
      "/", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"))
    #expect(try await transport.send(TransportRequest(.get, url)).body == Array("abcdefg".utf8))
  }

  @Test func `a body without end is cut off while it comes, with its length unsaid or false`() async throws {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"] {
      let server = try LoopbackServer()
      let url = server.serve("/", .floods(after: head))
      #expect(await code(of: TransportRequest(.get, url, maximumResponseLength: 100_000)) == .responseTooLarge)
      await server.waitForDeparture()
    }
  }

  @Test func `a body that stops on the way meets the timeout, and the connection ends`() async throws {
    let url = server.serve("/", .stalls(after: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"))
    let waiter = Task { await code(of: TransportRequest(.get, url, timeout: .seconds(9))) }
    await clocks.waitForSleeper(of: 9)
    clocks.advance(by: 9)
    #expect(await waiter.value == .deadlineExceeded)
  }

  @Test func `a cancelled request ends its connection`() async throws {
    let url = server.serve("/", .stalls(after: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"))
    let waiter = Task { await code(of: TransportRequest(.get, url, timeout: .seconds(9))) }
    while server.received.isEmpty, !Task.isCancelled { await Task.yield() }
    waiter.cancel()
    #expect(await waiter.value == .cancelled)
    await server.waitForDeparture()
  }

  @Test(arguments: [
    "", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
  ])
  func `a server that breaks off, or speaks another language, is a network error`(_ text: String) async {
    let url = server.serve("/", .raw(text))
    #expect(await code(of: TransportRequest(.get, url)) == .networkError)
  }

  @Test func `a server without a certificate is a network error over https`() async {
    let url = server.serve("/", .raw("HTTP/1.1 200 OK\r\n\r\n")).replacing("http://", with: "https://")
    #expect(await code(of: TransportRequest(.get, url)) == .networkError)
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

  @Test func `a relative redirect is followed on the same server`() async throws {
    let target = server.serve("/deep/b", .like(.answers(200, body: [1])))
    var request = TransportRequest(
      .get, server.serve("/deep/a", .like(.answers(302, headers: ["Location": "b"], body: [9]))))
    request.followsRedirects = true
    let response = try await transport.send(request)
    #expect(response.url == target && response.body == [1])
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
