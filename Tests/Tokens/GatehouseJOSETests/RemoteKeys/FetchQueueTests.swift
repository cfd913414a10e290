import Dispatch
import GatehouseJOSE
import GatehouseQueues
import HangGuard
import Testing

struct FetchQueueTests {
  /// In its own process: while the work queue is held, a synchronous call of another test would block its thread.
  @Test func `a fetch begins on the work queue, and a token whose key is at hand needs no queue`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = try RemoteScene()
      try scene.publish(["a": TokenScene.p256])
      _ = try await scene.set.keys()
      let verifier = RemoteTokenVerifier(keys: scene.set, policy: VerificationPolicy(algorithms: [.ES256]))
      let token = try TokenSigner(key: TokenScene.p256, keyID: "a").sign(["exp": 9_000_000_000])

      let release = DispatchSemaphore(value: 0)
      WorkQueue.async("a test holds the queue") { release.wait() }
      _ = try await verifier.verify(token)
      _ = try await scene.set.key(named: "a")
      // Rejected during the cooldown, which needs no queue either.
      #expect(await scene.refusal(of: "b")?.code == .unknownKey)
      let refresh = Task { try await scene.set.refresh() }
      for _ in 0..<1000 { await Task.yield() }
      #expect(scene.asked == 1)

      release.signal()
      try await refresh.value
      #expect(scene.asked == 2)
    }
  }

  @Test func `a fetch does not wait for the executor of the caller that needs it first`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = try RemoteScene()
      try scene.publish(["a": TokenScene.p256])
      let caller = BusyCaller()
      let freeWorkQueue = DispatchSemaphore(value: 0)
      WorkQueue.async("a test holds the queue") { freeWorkQueue.wait() }
      async let late: Void = caller.fetch(scene.set)
      await caller.hasAsked()
      // Its call is queued on the work queue now, and its executor is busy until the other caller has the keys.
      let freeCaller = DispatchSemaphore(value: 0)
      BusyCaller.executor.async { freeCaller.wait() }
      freeWorkQueue.signal()
      #expect(try await scene.set.keys().keys.count == 1)
      freeCaller.signal()
      try await late
      #expect(scene.asked == 1)
    }
  }
}

/// An actor with its own queue, which a test keeps busy.
private actor BusyCaller {
  static let executor = SerialQueueExecutor(label: "test.busy")
  private let asked = AsyncStream<Void>.makeStream()

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.executor.asUnownedSerialExecutor() }

  func fetch(_ set: RemoteKeySet) async throws {
    asked.continuation.yield()
    _ = try await set.keys()
  }

  /// Returns when `fetch` has made its call.
  nonisolated func hasAsked() async {
    for await _ in asked.stream { break }
    Self.executor.sync {}
  }
}
