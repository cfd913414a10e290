import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseHTTP
import GatehouseREST
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// What goes wrong between a client and its server, on real sockets.
@Suite(.endsIfItHangs) struct LoopbackFaultTests {
  /// What a server does, and what becomes of the call.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let behavior: LoopbackServer.Behavior
    let code: AuthError.Code
    var retryAfter: Duration?
    /// Whether the call waits for its deadline.
    var isSlow = false
  }

  private static let html = Array("<html><body>Sign in to the network</body></html>".utf8)

  static let faults = [
    Fault(
      testDescription: "a truncated body", behavior: .raw("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"users\":"),
      code: .networkError),
    Fault(
      testDescription: "a body that JSON ends too early",
      behavior: .like(.answers(200, headers: ["Content-Type": "application/json"], body: Array("{\"users\":".utf8))),
      code: .responseInvalid),
    Fault(
      testDescription: "a wrong type",
      behavior: .like(.answers(200, headers: ["Content-Type": "text/plain"], body: Array("OK".utf8))),
      code: .responseInvalid),
    Fault(
      testDescription: "an HTML page",
      behavior: .like(.answers(200, headers: ["Content-Type": "text/html"], body: html)), code: .responseInvalid),
    Fault(
      testDescription: "an HTML error page",
      behavior: .like(.answers(403, headers: ["Content-Type": "text/html"], body: html)), code: .responseInvalid),
    Fault(
      testDescription: "a gateway's HTML error page",
      behavior: .like(.answers(502, headers: ["Content-Type": "text/html"], body: html)), code: .networkError),
    Fault(
      testDescription: "too many requests", behavior: .like(.answers(429, headers: ["Retry-After": "30"])),
      code: .tooManyRequests, retryAfter: .seconds(30)),
    Fault(
      testDescription: "a server that is unavailable", behavior: .like(.answers(503, headers: ["Retry-After": "7"])),
      code: .networkError, retryAfter: .seconds(7)),
    Fault(
      testDescription: "a slow drip", behavior: .drips(after: "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
      code: .deadlineExceeded, isSlow: true),
    Fault(
      testDescription: "a half-open connection", behavior: .like(.isSilent), code: .deadlineExceeded, isSlow: true),
    Fault(
      testDescription: "a redirect",
      behavior: .like(.answers(307, headers: ["Location": "https://elsewhere.example/"])), code: .responseInvalid),
    Fault(
      testDescription: "20 MB",
      behavior: .like(.answers(200, body: Array(repeating: UInt8(ascii: "x"), count: 20_000_000))),
      code: .responseTooLarge),
    Fault(testDescription: "no answer", behavior: .raw(""), code: .networkError),
  ]

  @Test(arguments: faults)
  func `a fault on the way is an error that says what it is, and the call is sent once`(fault: Fault) async throws {
    let (server, clocks) = (try LoopbackServer(), ManualClocks())
    server.serveEverywhere(fault.behavior)
    var options = RESTOptions(server: RESTServer(url: server.url), clocks: clocks)
    options.timeout = .seconds(9)
    let backend = RESTBackend(apiKey: "hush", options: options, transport: AsyncHTTPTransport(clocks: clocks))
    let call = Task { await refusal(of: SignUp(email: "ada@example.com", password: Secret("a password")), by: backend) }
    if fault.isSlow {
      await clocks.waitForSleeper(of: 9)
      while server.received.isEmpty, !Task.isCancelled { await Task.yield() }
      clocks.advance(by: 9)
    }
    let error = await call.value
    #expect(error?.code == fault.code && error?.retryAfter == fault.retryAfter, "\(String(describing: error))")
    #expect(server.received.count == 1)
    for secret in ["hush", "a password"] { #expect(error?.description.contains(secret) == false) }
    if fault.isSlow { await server.waitForDeparture() }
  }

  private func refusal<C: Call>(of call: C, by backend: RESTBackend) async -> AuthError? {
    do throws(AuthError) {
      _ = try await backend.answer(call)
      return nil
    } catch { return error }
  }
}
