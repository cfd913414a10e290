import Dispatch
import Gatehouse
import GatehouseAgent
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Testing

/// An agent tells its app each new token.
struct ChangedTokenTests {
  @Test func `each new token is told once, on the callback queue, in order`() async throws {
    let queue = DispatchQueue(label: "test.callbacks")
    let told = Lock<[String]>([])
    let scene = try Scene {
      $0.callbackQueue = queue
      $0.tokenChanged = { account, token in
        dispatchPrecondition(condition: .onQueue(queue))
        told.withLock { $0.append("\(account) \(token.value.revealed)") }
      }
    }
    _ = try await scene.token()
    _ = try await scene.token()
    try await scene.agent.refresh("a")
    scene.source.failAlways(.away)
    #expect(await refusalCode { try await scene.agent.refresh("a") } == .networkError)
    scene.source.failAlways(nil)
    try await scene.agent.refresh("a")
    try await scene.agent.close()
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(told.withLock { $0 } == ["a token-1", "a token-2", "a token-4"])
  }

  @Test func `a token that the account had already is not told again`() async throws {
    let queue = DispatchQueue(label: "test.callbacks")
    let told = Lock<[String]>([])
    let scene = try Scene {
      $0.callbackQueue = queue
      $0.tokenChanged = { account, _ in told.withLock { $0.append(account) } }
    }
    try scene.agent.add("same", SameSource(clocks: scene.clocks))
    for _ in 0..<3 { try await scene.agent.refresh("same") }
    try await scene.agent.close()
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(told.withLock { $0 } == ["same"])
  }
}

/// Returns one token, as a file does that is read again.
private struct SameSource: TokenSource {
  let clocks: ManualClocks
  let kind = "the same"

  func fetch() async throws(AuthError) -> LentToken {
    LentToken(Secret("same"), lifetime: .seconds(600), received: clocks.now())
  }
}
