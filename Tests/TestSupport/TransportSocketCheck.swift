import GatehouseBase
package import GatehouseHTTP
package import GatehouseTesting

/// What every transport does over a real socket, besides its contract: answers that no well-behaved server gives.
package struct TransportSocketCheck: Sendable, CustomStringConvertible {
  /// A transport, the clocks that it measures timeouts on, and a server for it alone.
  package struct Stage {
    let transport: any HTTPTransport
    let clocks: ManualClocks
    let server: LoopbackServer

    package init(transport: any HTTPTransport, clocks: ManualClocks) throws {
      self.transport = transport
      self.clocks = clocks
      server = try LoopbackServer()
    }

    fileprivate func code(of request: TransportRequest) async -> AuthError.Code? {
      do throws(AuthError) { _ = try await transport.send(request) } catch { return error.code }
      return nil
    }
  }

  private struct Violation: Error, CustomStringConvertible { let description: String }

  package let description: String
  private let body: @Sendable (Stage) async throws -> Void

  private init(_ description: String, _ body: @escaping @Sendable (Stage) async throws -> Void) {
    self.description = description
    self.body = body
  }

  package func run(on stage: Stage) async throws { try await body(stage) }

  private static func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
    if !isTrue { throw Violation(description: what()) }
  }

  private static let halfAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"

  package static let all = [packed, credentials, chunks, endless, stalled, cancelled, redirect] + broken

  /// What is unpacked cannot be counted before it is there.
  private static let packed = Self("no compressed answer is asked for, or taken") { stage in
    // "hello", by gzip.
    let bytes: [UInt8] = [
      0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    let url = stage.server.serve("/", .like(.answers(200, headers: ["Content-Encoding": "gzip"], body: bytes)))
    let code = await stage.code(of: TransportRequest(.get, url, headers: ["Accept-Encoding": "gzip"]))
    try expect(code == .responseInvalid, "a compressed answer came to \(String(describing: code))")
    let asked = stage.server.received.last?.headers.fields.filter { $0.name.lowercased() == "accept-encoding" }
    try expect(asked?.map(\.value) == ["identity"], "it asked for \(asked ?? [])")
    let plain = stage.server.serve("/p", .like(.answers(200, headers: ["Content-Encoding": "identity"], body: [1])))
    try expect(try await stage.transport.send(TransportRequest(.get, plain)).body == [1], "a plain answer was lost")
  }

  /// Foundation asks for credentials, and waits for them for ever.
  private static let credentials = Self("an answer that asks for credentials is an answer, at once") { stage in
    let body = Array(repeating: UInt8(ascii: "a"), count: 100_000)
    let challenges = [
      (401, "WWW-Authenticate", "Basic realm=\"a\""), (401, "WWW-Authenticate", "Digest realm=\"a\", nonce=\"b\""),
      (401, "WWW-Authenticate", "NTLM"), (401, "WWW-Authenticate", "Negotiate"), (401, "WWW-Authenticate", "Bearer"),
      (401, "X-Other", ""), (407, "Proxy-Authenticate", "Basic realm=\"a\""),
    ]
    for (number, (status, name, challenge)) in challenges.enumerated() {
      let url = stage.server.serve("/", .like(.answers(status, headers: [name: challenge], body: body)))
      let response = try await stage.transport.send(TransportRequest(.get, url))
      let isWhole = response.status == status && response.headers[name] == challenge && response.body == body
      try expect(isWhole, "\(challenge) came to \(response.status)")
      try expect(stage.server.received.count == number + 1, "\(challenge) was asked for again")
    }
    let target = LoopbackServer.Behavior.like(.answers(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
    stage.server.serve("/b", target)
    var request = TransportRequest(.get, stage.server.serve("/a", .like(.answers(302, headers: ["Location": "/b"]))))
    request.followsRedirects = true
    try expect(try await stage.transport.send(request).status == 401, "not after a redirect")
  }

  private static let chunks = Self("a body in chunks comes together") { stage in
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"
    let response = try await stage.transport.send(TransportRequest(.get, stage.server.serve("/", .raw(text))))
    try expect(response.body == Array("abcdefg".utf8), "it came as \(response.body)")
  }

  private static let endless = Self("a body without end is cut off while it comes, its length unsaid or false") {
    stage in
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"] {
      let server = try LoopbackServer()
      let url = server.serve("/", .floods(after: head))
      let code = await stage.code(of: TransportRequest(.get, url, maximumResponseLength: 100_000))
      try expect(code == .responseTooLarge, "\(head) came to \(String(describing: code))")
      await server.waitForDeparture()
    }
  }

  private static let stalled = Self("a body that stops on the way meets the timeout") { stage in
    let url = stage.server.serve("/", .stalls(after: halfAnswer))
    async let code = stage.code(of: TransportRequest(.get, url, timeout: .seconds(9)))
    await stage.clocks.waitForSleeper(of: 9)
    stage.clocks.advance(by: 9)
    let met = await code
    try expect(met == .deadlineExceeded, "it came to \(String(describing: met))")
  }

  private static let cancelled = Self("a cancelled request ends its connection") { stage in
    let url = stage.server.serve("/", .stalls(after: halfAnswer))
    let transport = stage.transport
    let waiter = Task { try await transport.send(TransportRequest(.get, url, timeout: .seconds(9))) }
    while stage.server.received.isEmpty, !Task.isCancelled { await Task.yield() }
    waiter.cancel()
    let outcome = await waiter.result
    guard case .failure(let error as AuthError) = outcome, error.code == .cancelled else {
      throw Violation(description: "it came to \(outcome)")
    }
    await stage.server.waitForDeparture()
  }

  private static let redirect = Self("a relative redirect is followed on the same server") { stage in
    let target = stage.server.serve("/deep/b", .like(.answers(200, body: [1])))
    let start = stage.server.serve("/deep/a", .like(.answers(302, headers: ["Location": "b"], body: [9])))
    var request = TransportRequest(.get, start)
    request.followsRedirects = true
    let response = try await stage.transport.send(request)
    try expect(response.url == target && response.body == [1], "it came from \(response.url)")
  }

  private static let broken = [
    "", "nonsense\r\n\r\n", halfAnswer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
  ].map { text in
    Self("a server that breaks off, or speaks another language, is a network error: \(text.count) bytes") { stage in
      let code = await stage.code(of: TransportRequest(.get, stage.server.serve("/", .raw(text))))
      try expect(code == .networkError, "it came to \(String(describing: code))")
    }
  }
}
