import Gatehouse
import GatehouseAgent
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

/// A caller that asks for a token gets one, or the reason why not.
struct LendingTests {
  @Test func `a token at hand that lasts is returned at once, whatever its source does`() async throws {
    let scene = try Scene()
    try scene.agent.start()
    #expect(try await scene.token() == "token-1")
    scene.source.hold()
    scene.clocks.advance(by: .seconds(3400))
    await scene.source.waitForCall(count: 2)
    #expect(try await scene.token(minValidity: .seconds(199)) == "token-1")
    scene.source.release()
  }

  @Test func `a token that does not last is waited for, in one fetch for all`() async throws {
    let scene = try Scene()
    #expect(try await scene.token() == "token-1")
    scene.source.hold()
    scene.clocks.advance(by: .seconds(3400))
    let callers = (0..<100).map { _ in Task { try await scene.token(minValidity: .seconds(200)) } }
    await scene.source.waitForCall(count: 2)
    let late = Task { try await scene.token(minValidity: .seconds(200)) }
    scene.source.release()
    for caller in callers + [late] { #expect(try await caller.value == "token-2") }
    #expect(scene.source.calls == 2)
  }

  @Test func `after a suspend the first answer is fresh already`() async throws {
    let scene = try Scene()
    try scene.agent.start()
    _ = try await scene.token()
    scene.clocks.advance(by: .seconds(8 * 3600))
    let token = try await scene.agent.token(of: "a")
    #expect(token.received == scene.clocks.now())
  }

  @Test(arguments: [3600.0, -3600.0, 7_776_000.0])
  func `after a step of the wall clock the first answer is fresh already`(step: Double) async throws {
    let scene = try Scene()
    _ = try await scene.token()
    scene.clocks.setWall(scene.clocks.now().wall + step)
    #expect(try await scene.token() == "token-2")
  }

  @Test func `a small step of the wall clock to the past does not extend a token's life`() async throws {
    let scene = try Scene()
    _ = try await scene.token()
    scene.clocks.advance(by: .seconds(3590))
    scene.clocks.setWall(scene.clocks.now().wall - 3550)
    #expect(try await scene.token() == "token-2")
  }

  @Test func `after a step to the past a source that fails does not withhold the token at hand`() async throws {
    let scene = try Scene()
    _ = try await scene.token()
    scene.source.fail(.away)
    scene.clocks.setWall(scene.clocks.now().wall - 3600)
    #expect(try await scene.token() == "token-1")
  }

  @Test func `a validity that no token of the account has is refused, without a fetch for each caller`() async throws {
    let scene = try Scene(lifetime: .seconds(60))
    for _ in 0..<10 { #expect(await scene.refusal(minValidity: .seconds(60))?.code == .invalidArgument) }
    #expect(scene.source.calls == 1)
    #expect(try await scene.token(minValidity: .seconds(59)) == "token-1")
  }

  @Test func `a validity that no token had costs a fetch in each fifth of a token's life`() async throws {
    let scene = try Scene()
    for _ in 0..<72 {
      #expect(await scene.refusal(minValidity: .seconds(3600))?.code == .invalidArgument)
      scene.clocks.advance(by: .seconds(10))
    }
    #expect(scene.source.calls == 1)
    #expect(await scene.refusal(minValidity: .seconds(3600))?.retryAfter == nil)
    #expect(scene.source.calls == 2)
    #expect(await scene.refusal(minValidity: .seconds(3600))?.retryAfter == .seconds(720))
  }

  @Test func `a token that has expired on its arrival is a failure, and is not lent`() async throws {
    let scene = try Scene(lifetime: .zero)
    #expect(await scene.refusal(minValidity: .zero)?.code == .deadlineExceeded)
    #expect(await scene.refusal(minValidity: .zero)?.retryAfter != nil)
    #expect(scene.source.calls == 1)
  }

  @Test func `a forced refresh is served by a fetch that begins after it, and shared`() async throws {
    let scene = try Scene()
    scene.source.hold()
    let first = Task { try await scene.token() }
    await scene.source.waitForCall()
    let forced = (0..<5).map { _ in Delivery { scene.agent.refresh("a", completion: $0) } }
    scene.source.release()
    #expect(try await first.value == "token-1")
    for refresh in forced { #expect(try await refresh.value.value == Secret("token-2")) }
    #expect(scene.source.calls == 2 && scene.source.mostAtOnce == 1)
  }

  @Test func `a caller who is cancelled or whose time is over is released, and the others get the token`() async throws
  {
    let scene = try Scene()
    scene.source.hold()
    let patient = Task { try await scene.token() }
    let hasty = Task { try await scene.agent.token(of: "a", timeout: .seconds(7)) }
    let cancelled = Task { try await scene.token() }
    await scene.source.waitForCall()
    cancelled.cancel()
    #expect(await refusalCode { try await cancelled.value } == .cancelled)
    await scene.clocks.waitForSleeper(of: .seconds(7))
    scene.clocks.advance(by: .seconds(7))
    #expect(await refusalCode { try await hasty.value } == .deadlineExceeded)
    scene.source.release()
    #expect(try await patient.value == "token-1")
  }

  @Test func `a source that asks the agent for its own account is told that it would wait for itself`() async throws {
    let scene = try Scene()
    let error = Lock<AuthError?>(nil)
    scene.source.onCall { [scene] in
      let refusal = await scene.refusal()
      error.withLock { $0 = refusal }
    }
    #expect(try await scene.token() == "token-1")
    #expect(error.withLock { $0?.code } == .wouldDeadlock)
    scene.source.onCall(nil)
  }

  @Test func `completions come once, on the callback queue, with what the async forms return`() async throws {
    let scene = try Scene()
    let token = Delivery { scene.agent.token(of: "a", completion: $0) }
    #expect(try await token.value.value == Secret("token-1"))
    let refreshed = Delivery { scene.agent.refresh("a", completion: $0) }
    #expect(try await refreshed.value.value == Secret("token-2"))
    let unknown = Delivery { scene.agent.token(of: "b", completion: $0) }
    #expect(await unknown.error?.code == .accountUnknown)
    let closed = Delivery { scene.agent.close(completion: $0) }
    try await closed.value
    for count in [token.count, refreshed.count, unknown.count, closed.count] { #expect(count == 1) }
  }
}
