import Dispatch
import Foundation
import GatehouseHTTP
import GatehouseJOSE
import GatehouseQueues
import HangGuard
import Testing

/// The completion forms: each call completes exactly once, on the queue that its type was given.
@Suite(.endsIfItHangs) struct CompletionTests {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "callbacks of a test")

  init() { queue.setSpecific(key: Self.key, value: true) }

  /// One delivery.
  private struct Heard: Sendable, Equatable {
    let call: Int
    let isGood: Bool
    let isOnQueue: Bool
  }

  /// Makes calls `0..<count` and returns as many deliveries, which may arrive in another order.
  private func heard<Value: Sendable>(
    _ count: Int = 12, _ call: (Int, @escaping @Sendable (Result<Value, AuthError>) -> Void) throws -> Void
  ) async rethrows -> [Heard] {
    let (stream, continuation) = AsyncStream.makeStream(of: Heard.self)
    let deliveries = Lock(0)
    for number in 0..<count {
      try call(number) { result in
        var isGood = false
        if case .success = result { isGood = true }
        continuation.yield(
          Heard(call: number, isGood: isGood, isOnQueue: DispatchQueue.getSpecific(key: Self.key) == true))
        let delivered = deliveries.withLock { deliveries in
          deliveries += 1
          return deliveries
        }
        if delivered == count { continuation.finish() }
      }
    }
    var all: [Heard] = []
    for await one in stream { all.append(one) }
    return all.sorted { $0.call < $1.call }
  }

  private func expected(_ count: Int = 12, bad: Set<Int> = []) -> [Heard] {
    (0..<count).map { Heard(call: $0, isGood: !bad.contains($0), isOnQueue: true) }
  }

  private func remote() throws -> RemoteScene {
    let scene = try RemoteScene(callbackQueue: queue)
    try scene.publish(["a": TokenScene.p256])
    return scene
  }

  @Test func `RemoteKeySet keys`() async throws {
    let scene = try remote()
    _ = try await scene.set.keys()
    #expect(await heard { _, completion in scene.set.keys(completion: completion) } == expected())
  }

  @Test func `RemoteKeySet key`() async throws {
    let scene = try remote()
    _ = try await scene.set.keys()
    let all = await heard { call, completion in
      scene.set.key(named: call == 5 ? "b" : "a", completion: completion)
    }
    #expect(all == expected(bad: [5]))
  }

  @Test func `RemoteKeySet refresh`() async throws {
    let scene = try remote()
    // One at a time: concurrent refreshes share a fetch, whose waiters are resumed on several threads.
    for _ in 0..<3 {
      #expect(await heard(1) { _, completion in scene.set.refresh(completion: completion) } == expected(1))
    }
    #expect(scene.asked == 3)
  }

  @Test func `RemoteTokenVerifier verify`() async throws {
    let scene = try remote()
    _ = try await scene.set.keys()
    let policy = VerificationPolicy(algorithms: [.ES256])
    let verifier = RemoteTokenVerifier(keys: scene.set, policy: policy, callbackQueue: queue)
    let token = try TokenSigner(key: TokenScene.p256, keyID: "a").sign(["exp": 9_000_000_000])
    let all = await heard { call, completion in
      verifier.verify(call == 3 ? "a.b.c" : token, completion: completion)
    }
    #expect(all == expected(bad: [3]))
  }

  @Test func `SingleUseTokenVerifier verify`() async throws {
    let inner = TokenVerifier(
      keys: try JWKSet([JWK(.publicKey(TokenScene.p256.publicKey))]), policy: VerificationPolicy(algorithms: [.ES256]))
    let verifier = SingleUseTokenVerifier(verifier: inner, replays: MemoryReplayStore(), callbackQueue: queue)
    let token = try TokenSigner(key: TokenScene.p256).sign(["exp": 9_000_000_000, "jti": "1"])
    let all = await heard { _, completion in verifier.verify(token, completion: completion) }
    // Whichever comes first: the calls run side by side.
    let first = all.filter(\.isGood).map(\.call)
    #expect(first.count == 1 && all == expected(bad: Set(0..<12).subtracting(first)))
  }

  @Test func `DPoPVerifier verify`() async throws {
    var verifier = DPoPVerifier(replays: MemoryReplayStore(), callbackQueue: queue)
    verifier.clocks = FixedClocks()
    let proof = try ProofScene.proof()
    let all = await heard { _, completion in
      verifier.verify(proof, for: ProofScene.request, completion: completion)
    }
    // Whichever comes first: the calls run side by side.
    let first = all.filter(\.isGood).map(\.call)
    #expect(first.count == 1 && all == expected(bad: Set(0..<12).subtracting(first)))
  }

  @Test func `RequestAuthenticator authenticate`() async throws {
    struct Failing: TokenVerifying {
      let policy = VerificationPolicy(algorithms: [.ES256])
      func verify(_ token: String) async throws(AuthError) -> VerifiedToken {
        throw AuthError(.keysUnavailable, "down")
      }
      func verify(_ token: String, at moment: Date) async throws(AuthError) -> VerifiedToken { try await verify(token) }
    }
    let authenticator = RequestAuthenticator(Failing(), callbackQueue: queue)
    let all = await heard { number, completion in
      let headers: TransportHeaders = number < 6 ? [:] : ["Authorization": "Bearer a.b.c"]
      authenticator.authenticate("GET", "/", headers: headers, completion: completion)
    }
    #expect(all == expected(bad: Set(6..<12)))
  }

  @Test func `Signer token`() async throws {
    let signer = try TokenSigner(key: TokenScene.p256)
    // One at a time: each call has its own serial queue.
    for _ in 0..<3 {
      let all = await heard(1) { _, completion in
        signer.token(["a": 1], callbackQueue: queue, completion: completion)
      }
      #expect(all == expected(1))
    }
  }

  @MainActor private final class Screen {
    var keys = 0
  }

  @MainActor @Test func `a completion that is written on the main actor changes what is the main actor's`() async throws
  {
    let scene = try remote()
    let screen = Screen()
    await withCheckedContinuation { continuation in
      scene.set.keys { result in
        screen.keys = (try? result.get())?.keys.count ?? 0
        continuation.resume()
      }
    }
    #expect(screen.keys == 1)
  }

  @MainActor @Test func `a completion of the main actor comes there, whatever the queue`() async throws {
    let scene = try remote()
    let count = await withCheckedContinuation { continuation in
      scene.set.keys { @MainActor result in
        MainActor.assertIsolated()
        continuation.resume(returning: (try? result.get())?.keys.count)
      }
    }
    #expect(count == 1)
  }
}
