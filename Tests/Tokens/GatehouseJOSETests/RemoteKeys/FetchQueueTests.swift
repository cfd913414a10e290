import Dispatch
import GatehouseJOSE
import GatehouseQueues
import Glibc
import Testing

@Suite struct FetchQueueTests {
  /// In a process of its own: while the work queue is held, a synchronous call of another test would hold its thread.
  @Test func `a fetch begins on the work queue, and a token whose key is at hand needs no queue`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let scene = try RemoteScene()
      try scene.publish(["a": TokenScene.p256])
      _ = try await scene.set.keys()
      let verifier = RemoteTokenVerifier(keys: scene.set, policy: VerificationPolicy(algorithms: [.ES256]))
      let token = try TokenSigner(key: TokenScene.p256, keyID: "a").sign(["exp": 9_000_000_000])

      let release = DispatchSemaphore(value: 0)
      WorkQueue.async("a test holds the queue") { release.wait() }
      _ = try await verifier.verify(token)
      _ = try await scene.set.key(named: "a")
      // Refused during the cooldown: that needs no queue either.
      #expect(await scene.refusal(of: "b")?.code == .unknownKey)
      let refresh = Task { try await scene.set.refresh() }
      for _ in 0..<1000 { await Task.yield() }
      #expect(scene.asked == 1)

      release.signal()
      try await refresh.value
      #expect(scene.asked == 2)
    }
  }
}
