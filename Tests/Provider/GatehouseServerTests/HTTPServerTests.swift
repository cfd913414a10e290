import Foundation
import GatehouseBase
import GatehouseQueues
import GatehouseServer
import HangGuard
import TestSupport
import Testing

@Suite(.endsIfItHangs) struct HTTPServerTests {
  private let scene = ServerScene()

  /// Serves on a port that is free, for as long as the work takes.
  private func serving(
    _ change: (inout HTTPLimits) -> Void = { _ in }, _ work: (ServerAddress) async throws -> Void
  ) async throws {
    var limits = HTTPLimits()
    change(&limits)
    let server = HTTPServer(scene.server, limits: limits)
    let address = try await server.start()
    do { try await work(address) } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  /// Sends bytes, and returns what comes until the server closes the connection.
  private func exchange(_ text: String, at address: ServerAddress) async throws -> String? {
    try await onThread {
      let connection = try Connection(to: address)
      connection.send(text)
      return connection.readToEnd()
    }
  }

  private func post(_ body: String, _ fields: String = "") -> String {
    "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test func `a request over a socket is answered, with the address that it comes from`() async throws {
    try await serving { address in
      let answer = try await exchange(post(#"{"email":"ada@example.com","password":"correct horse"}"#), at: address)
      #expect(answer?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
      #expect(answer?.contains(#""email":"ada@example.com""#) == true)
    }
  }

  @Test func `a request is answered on the threads of the handler that has some`() async throws {
    let handler = HandlerOfOneThread(), server = HTTPServer(handler)
    let address = try await server.start()
    let answer = try await exchange("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", at: address)
    try await server.stop()
    #expect(answer?.hasPrefix("HTTP/1.1 204 ") == true)
    #expect(handler.order.withLock { $0 } == ["in place", "later"])
  }

  @Test func `a connection is used for many requests`() async throws {
    try await serving { address in
      let answers = try await onThread {
        let connection = try Connection(to: address)
        return (1...3).map { _ in
          connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
          return connection.read(until: #"{"status":"ok"}"#)
        }
      }
      #expect(answers.allSatisfy { $0?.hasPrefix("HTTP/1.1 200 OK") == true })
    }
  }

  @Test func `a request's host is where its answer leads`() async throws {
    try await serving { address in
      let answer = try await exchange(
        "GET /.well-known/openid-configuration HTTP/1.1\r\nHost: id.example.com:81\r\nConnection: close\r\n\r\n",
        at: address)
      #expect(answer?.contains(#""jwks_uri":"http://id.example.com:81/.well-known/jwks.json""#) == true)
    }
  }

  @Test func `a body that is too long is refused before it has come`() async throws {
    try await serving { address in
      let answer = try await onThread {
        let connection = try Connection(to: address)
        connection.send(
          "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 41943040\r\n\r\n{")
        return connection.readToEnd()
      }
      #expect(answer?.hasPrefix("HTTP/1.1 413 ") == true)
      #expect(answer?.contains(#""code":413"#) == true)
    }
  }

  @Test func `a body without a length is refused when it is too long`() async throws {
    try await serving { address in
      let answer = try await onThread {
        let connection = try Connection(to: address)
        connection.send(
          "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
        for _ in 1...17 where !connection.send(chunk) { break }
        return connection.readToEnd()
      }
      #expect(answer?.hasPrefix("HTTP/1.1 413 ") == true)
    }
  }

  @Test func `a body that does not come in time ends the connection`() async throws {
    try await serving {
      $0.requestTime = .milliseconds(50)
    } _: { address in
      let answer = try await onThread {
        let connection = try Connection(to: address)
        connection.send("POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        return connection.readToEnd()
      }
      #expect(answer == "")
    }
  }

  @Test(arguments: ["", "GET /healthz HTTP/1.1\r\nHost: lo", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
  func `a connection that is silent is closed`(begin: String) async throws {
    try await serving {
      $0.idleTime = .milliseconds(50)
    } _: { address in
      let answer = try await exchange(begin, at: address)
      #expect(answer != nil)
    }
  }

  /// Two readers of one of these could see different requests in it.
  @Test(arguments: [
    "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 4\r\nContent-Length: 40\r\n",
    "Content-Length: +4\r\n", "Content-Length: 4, 40\r\n", "Transfer-Encoding: chunked, identity\r\n",
    "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: xchunked\r\n", " Content-Length: 4\r\n",
  ])
  func `a request whose end is in doubt ends the connection`(fields: String) async throws {
    try await serving { address in
      let answer = try await exchange(
        "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n{}\r\n"
          + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        at: address)
      // The second request may be a part of the first one's body, and must not be answered.
      #expect(answer != nil)
      #expect(answer?.contains(#""status":"ok""#) == false)
    }
  }

  @Test func `headers without an end are refused`() async throws {
    try await serving { address in
      for flood in [
        String(repeating: "X-Flood: x\r\n", count: 5000), "X-Flood: \(String(repeating: "x", count: 100_000))\r\n",
      ] {
        let answer = try await exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\(flood)\r\n", at: address)
        #expect(answer != nil)
        #expect(answer?.contains(#""status":"ok""#) == false)
      }
    }
  }

  @Test(arguments: ["\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}", "GET /healthz HTTP/9.9\r\n\r\n", "{}\r\n\r\n"])
  func `what is no request is refused`(text: String) async throws {
    try await serving {
      $0.idleTime = .milliseconds(200)
    } _: { address in
      let answer = try await exchange(text, at: address)
      #expect(answer != nil)
      #expect(answer?.contains(" 200 ") == false)
    }
  }

  @Test func `of many sign-ups for one address at once one succeeds`() async throws {
    try await serving { address in
      let request = post(#"{"email":"ada@example.com","password":"correct horse"}"#)
      let answers = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 1...20 { group.addTask { try await exchange(request, at: address) } }
        return try await group.reduce(into: []) { $0.append($1 ?? "") }
      }
      #expect(answers.count { $0.hasPrefix("HTTP/1.1 200 ") } == 1)
      #expect(answers.count { $0.contains("EMAIL_EXISTS") } == 19)
    }
  }

  @Test func `an import may be longer than other calls, if an administrator sends it`() async throws {
    let scene = ServerScene(isEmulator: true) { _ in
    } options: {
      $0.importLength = 8192
    }
    let server = HTTPServer(scene.server, limits: Self.short)
    let address = try await server.start()
    func status(_ path: String, _ length: Int, _ fields: String, isChunked: Bool = false) async throws -> String {
      let user = #"{"localId":"ada"}"#
      let body = #"{"users":[\#(user)],"hashAlgorithm":""#
      let text = body + String(repeating: "x", count: length - body.utf8.count - 2) + "\"}"
      let size = isChunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(text.utf8.count)\r\n"
      let sent = isChunked ? "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n0\r\n\r\n" : text
      let request =
        "POST \(path)?key=k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\(size)\r\n\(sent)"
      return String(try await exchange(request, at: address)?.dropFirst(9).prefix(3) ?? "")
    }
    let path = "/v1/projects/local/accounts:batchCreate"
    let owner = "Authorization: Bearer owner\r\n"
    for isChunked in [false, true] {
      #expect(try await status(path, 8000, owner, isChunked: isChunked) == "200")
      #expect(try await status(path, 8193, owner, isChunked: isChunked) == "413")
      #expect(try await status(path, 8000, "", isChunked: isChunked) == "413")
      #expect(try await status(path, 8000, "Authorization: Bearer none\r\n", isChunked: isChunked) == "413")
      #expect(try await status("/v1/projects/local/accounts:lookup", 8000, owner, isChunked: isChunked) == "413")
    }
    try await server.stop()
  }

  private static var short: HTTPLimits {
    var limits = HTTPLimits()
    limits.bodyLength = 1024
    return limits
  }

  @Test func `a stop answers the requests that have come, and takes no more`() async throws {
    var limits = HTTPLimits()
    limits.stopTime = .seconds(300)
    let handler = HoldingHandler()
    let server = HTTPServer(handler, limits: limits)
    let address = try await server.start()
    let held = try await onThread {
      let connection = try Connection(to: address)
      connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
      return connection
    }
    await handler.waitForRequest()
    let stopping = Task { try await server.stop() }
    handler.release()
    let answer = try await onThread { held.readToEnd() }
    #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
    try await stopping.value
    #expect(throws: Connection.Failure.self) { try Connection(to: address) }
    try await server.stop()
  }

  @Test func `an address that is taken is told`() async throws {
    try await serving { address in
      guard case .host(_, let port) = address else { return }
      let other = HTTPServer(scene.server, at: .host("127.0.0.1", port: port))
      let error = await #expect(throws: AuthError.self) { try await other.start() }
      #expect(error?.code == .networkError)
      #expect(error?.message.contains("127.0.0.1:\(port)") == true)
      try await other.stop()
    }
  }

  @Test func `a server serves once`() async throws {
    let server = HTTPServer(scene.server)
    _ = try await server.start()
    await #expect(throws: AuthError.self) { try await server.start() }
    try await server.stop()
    await #expect(throws: AuthError.self) { try await server.start() }
    let stopped = HTTPServer(scene.server)
    try await stopped.stop()
    await #expect(throws: AuthError.self) { try await stopped.start() }
  }

  @Test func `the completion forms answer as well`() async throws {
    let server = HTTPServer(scene.server, callbackQueue: DispatchQueue(label: "test"))
    let address = try await withCheckedThrowingContinuation { continuation in
      server.start { continuation.resume(with: $0) }
    }
    #expect(try await exchange(post("{}"), at: address)?.hasPrefix("HTTP/1.1 200 ") == true)
    try await withCheckedThrowingContinuation { continuation in server.stop { continuation.resume(with: $0) } }
  }

  // MARK: Where it cannot listen

  private let path = "/tmp/gatehouse-\(UUID().uuidString.prefix(8)).sock"

  private func server(at address: ServerAddress) -> HTTPServer { HTTPServer(scene.server, at: address) }

  /// Why a server cannot listen.
  private func refusal(at address: ServerAddress) async throws -> String {
    let error = await #expect(throws: AuthError.self) { try await server(at: address).start() }
    #expect(error?.code == .networkError)
    return error?.message ?? ""
  }

  @Test func `a socket where a server answers is left alone`() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = server(at: .unix(path: path))
    _ = try await first.start()
    // Twice: the second refusal shows that the first has not made the server deaf.
    for _ in 1...2 { #expect(try await refusal(at: .unix(path: path)).contains("address in use")) }
    try await first.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a socket whose server has ended is replaced, and an end removes no other server's`() async throws {
    // In a folder of its own, to see that nothing is left there.
    let folder = path + ".folder", path = folder + "/s"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Connection.leaveDeadSocket(at: path)
    let first = server(at: .unix(path: path)), second = server(at: .unix(path: path))
    _ = try await first.start()
    try FileManager.default.removeItem(atPath: path)
    _ = try await second.start()
    try await first.stop()
    #expect(try await refusal(at: .unix(path: path)).contains("address in use"))
    try await second.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }

  @Test func `why it cannot listen is said in words that tell what to do`() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
    #expect(try await refusal(at: .unix(path: path)).contains("is no socket; move it away"))
    #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    #expect(try await refusal(at: .unix(path: path + "/x/y")).contains("choose another path"))
    let long = "/tmp/" + String(repeating: "x", count: 200)
    #expect(try await refusal(at: .unix(path: long)).contains("too long for a socket"))
    #expect(try await refusal(at: .host("192.0.2.1", port: 0)).contains("none of this machine's"))
    #expect(try await refusal(at: .host("a..b", port: 0)).contains("no address is known for this host"))
    try await serving { address in
      guard case .host(let host, let port) = address else { return }
      let taken = try await refusal(at: .host(host, port: port))
      #expect(taken.contains("another program listens there; end it, or choose another port"))
    }
  }

  @Test func `it listens at a Unix socket`() async throws {
    let path = "/tmp/gatehouse-\(UUID().uuidString.prefix(8)).sock"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let server = HTTPServer(scene.server, at: .unix(path: path))
    #expect(try await "\(server.start())" == "unix:\(path)")
    #expect(FileManager.default.fileExists(atPath: path))
    try await server.stop()
  }
}

/// Answers when it is told to.
private final class HoldingHandler: RequestHandler {
  private let (arrivals, arrived) = AsyncStream<Void>.makeStream()
  private let (releases, released) = AsyncStream<Void>.makeStream()

  func waitForRequest() async { for await _ in arrivals { return } }
  func release() { released.yield() }

  func answer(_ request: ServerRequest) async -> ServerResponse {
    arrived.yield()
    for await _ in releases { break }
    return ServerResponse(status: 200)
  }
}

/// Tells by the order of work whether a request is answered on its one thread.
private final class HandlerOfOneThread: PlacedHandler {
  let order = Lock<[String]>([])
  private let queue = BackgroundQueue(label: "test.handler", width: 1)
  var executor: any TaskExecutor { queue.executor }

  func answer(_ request: ServerRequest) async -> ServerResponse {
    queue.async { self.order.withLock { $0.append("later") } }
    await queue.runInPlace { self.order.withLock { $0.append("in place") } }
    await queue.run {}
    return ServerResponse(status: 204)
  }
}
