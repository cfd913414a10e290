import GatehouseAgentServer
import GatehouseBase
import GatehouseServer
import GatehouseTesting
import TestSupport
import Testing

/// Operators learn of a daemon from its figures and its log.
struct FiguresTests {
  @Test func `the figures tell fetches, answers and accounts, and name no account and no token`() async throws {
    let scene = try ServedAgent()
    _ = try await scene.answer("GET", "/v1/accounts/a/token")
    _ = try await scene.answer("GET", "/v1/accounts/a/token")
    scene.source.failAlways(AuthError(.networkError, "the issuer is away"))
    _ = try await scene.answer("POST", "/v1/accounts/a/refresh")
    _ = try await scene.answer("GET", "/v1/accounts/secret/token")
    _ = try await scene.answer("GET", "/elsewhere")

    var request = ServerRequest("GET", "/metrics")
    request.process = try ServedAgent.peer()
    let page = await scene.server.answer(request)
    #expect(page.status == 200)
    let lines = String(decoding: page.body, as: UTF8.self).split(separator: "\n").map(String.init)
    for line in [
      #"gatehouse_agent_accounts{state="failing"} 1.0"#, #"gatehouse_agent_accounts{state="lending"} 0.0"#,
      #"gatehouse_agent_fetches_total{outcome="token"} 1.0"#,
      #"gatehouse_agent_fetches_total{outcome="networkError"} 1.0"#,
      "gatehouse_agent_fetch_duration_seconds_count 2",
      #"gatehouse_agent_requests_total{path="/v1/accounts/NAME/token",status="200"} 2.0"#,
      #"gatehouse_agent_requests_total{path="/v1/accounts/NAME/token",status="404"} 1.0"#,
      #"gatehouse_agent_requests_total{path="/v1/accounts/NAME/refresh",status="503"} 1.0"#,
      #"gatehouse_agent_requests_total{path="none",status="404"} 1.0"#,
    ] {
      #expect(lines.contains(line), "\(line) is not in \(lines)")
    }
    #expect(!lines.contains { $0.contains("token-") || $0.contains("secret") || $0.contains("elsewhere") })
  }

  @Test func `the figures are for programs that may ask, and counted are those that may not`() async throws {
    let scene = try ServedAgent()
    #expect(await scene.server.answer(ServerRequest("GET", "/metrics")).status == 403)
    var request = ServerRequest("POST", "/metrics")
    request.process = try ServedAgent.peer()
    #expect(await scene.server.answer(request).status == 405)
    request = ServerRequest("GET", "/metrics")
    request.process = try ServedAgent.peer()
    let page = String(decoding: await scene.server.answer(request).body, as: UTF8.self)
    #expect(page.contains(#"gatehouse_agent_requests_total{path="none",status="403"} 1.0"#), "\(page)")
  }

  @Test func `a program that may not ask and asks without end does not fill the log`() async throws {
    let scene = try ServedAgent()
    for _ in 0..<1000 { _ = await scene.server.answer(ServerRequest("GET", "/v1/status")) }
    #expect(scene.log.all.count == 10)
    #expect(scene.log.all.allSatisfy { $0.contains("it does not come through a Unix socket") })
    scene.clocks.advance(by: .seconds(60))
    _ = await scene.server.answer(ServerRequest("GET", "/v1/status"))
    #expect(scene.log.all.count == 12)
    #expect(scene.log.all[10] == "refused 990 more requests of users that no rule admits")
  }
}
