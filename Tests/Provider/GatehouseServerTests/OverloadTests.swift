import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import HangGuard
import Logging
import TestSupport
import Testing

/// The answer to a stranger while as many wait for a hash as can.
@Suite(.endsIfItHangs) struct OverloadTests {
  @Test func `a stranger's sign-in is refused with 503 and a time to wait, and the log is not filled`() async throws {
    let lines = LogLines()
    let scene = ServerScene(options: { $0.logger = Logger(label: "test") { _ in lines } })
    func signIn(_ email: String, from peer: String) async -> Reply {
      let body = #"{"email":"\#(email)","password":"correct horse"}"#
      return await scene.send(
        ServerRequest("POST", "/v1/accounts:signInWithPassword?key=k", body: Array(body.utf8), peer: peer))
    }
    _ = await scene.signUp()
    #expect(await signIn("ada@example.com", from: "198.51.100.1").status == 200)
    let gates = (0..<4).map { _ in WatchedSemaphore(value: 0) }
    for gate in gates { scene.provider.hashing.async { gate.wait() } }
    // The thread of an earlier hash may still be about to end.
    while scene.provider.hashing.waiting.known > 0 { await Task.yield() }
    let strangers = (0..<LocalBackend.mostWaitingStrangers).map { number in
      Task { await signIn("user\(number)@example.com", from: "10.0.\(number).1").status }
    }
    while scene.provider.hashing.waiting.strangers < strangers.count { await Task.yield() }
    for email in ["ada@example.com", "nobody@example.com"] {
      let refused = await signIn(email, from: "192.0.2.1")
      #expect(refused.status == 503 && refused.response.headers["Retry-After"] == "5")
      #expect(refused.message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
      #expect(refused.json["error"]?["status"]?.string == "UNAVAILABLE")
    }
    let known = Task { await signIn("ada@example.com", from: "198.51.100.1").status }
    while scene.provider.hashing.waiting.known < 1 { await Task.yield() }
    for gate in gates { gate.signal() }
    #expect(await known.value == 200)
    for stranger in strangers { #expect(await stranger.value == 400) }
    #expect(lines.all == [])
  }
}
