import GatehouseBase
import GatehouseJOSE
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Testing

/// Expired keys, unknown names, and sets without keys.
@Suite(.endsIfItHangs) struct `Remote keys past their time` {
  /// The names of the keys that a caller gets without waiting for a fetch; `nil` if it waits.
  private static func namesAtOnce(_ set: RemoteKeySet) async -> [String?]? {
    let names = Lock<[String?]?>(nil)
    let caller = Task {
      let keys = try await set.keys().keys.map(\.keyID)
      names.withLock { $0 = keys }
    }
    for _ in 0..<100_000 {
      if let names = names.withLock({ $0 }) { return names }
      await Task.yield()
    }
    caller.cancel()
    return nil
  }

  private static func wait(until condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test func `are served at once for a day while the server hangs, and no longer`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.transport.hold()
    scene.clocks.advance(by: 1000)
    try #require(await Self.namesAtOnce(scene.set) == ["a"])
    await scene.transport.waitForRequest(count: 2)
    try #require(await Self.namesAtOnce(scene.set) == ["a"])
    #expect(try await scene.set.key(named: "a").keyID == "a")
    scene.clocks.advance(by: 86_399)
    try #require(await Self.namesAtOnce(scene.set) == ["a"])
    scene.clocks.advance(by: 1)
    #expect(scene.set.current == nil)
    scene.transport.release()
    // The hung fetch may end with its timeout, which has passed: then the next one starts after a pause.
    var keys: JWKSet?
    while keys == nil {
      keys = try? await scene.set.keys()
      scene.clocks.advance(by: 60)
    }
    #expect(keys?.keys.count == 1)
  }

  @Test func `are replaced in the background, by one fetch`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    try scene.publish(["b": TokenScene.p256])
    scene.clocks.advance(by: 5000)
    scene.transport.hold()
    for _ in 0..<10 { try #require(await Self.namesAtOnce(scene.set) == ["a"]) }
    await scene.transport.waitForRequest(count: 2)
    scene.transport.release()
    await Self.wait { scene.set.current?.keys.map(\.keyID) == ["b"] }
    #expect(scene.asked == 2)
  }

  @Test func `do not remember a name that was not found: it is looked for after the next cooldown`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.clocks.advance(by: 30)
    #expect(await scene.refusal(of: "next")?.code == .unknownKey)
    #expect(scene.asked == 2)
    try scene.publish(["a": TokenScene.p256, "next": TokenScene.ed25519])
    scene.clocks.advance(by: 29)
    #expect(await scene.refusal(of: "next")?.code == .unknownKey)
    scene.clocks.advance(by: 1)
    #expect(await scene.refusal(of: "next") == nil)
    #expect(scene.asked == 3)
  }

  @Test func `find a key again that was gone for a while`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256, "b": TokenScene.ed25519])
    _ = try await scene.set.keys()
    try scene.publish(["a": TokenScene.p256])
    scene.clocks.advance(by: 30)
    #expect(await scene.refusal(of: "c")?.code == .unknownKey)
    scene.clocks.advance(by: 30)
    #expect(await scene.refusal(of: "b")?.code == .unknownKey)
    try scene.publish(["a": TokenScene.p256, "b": TokenScene.ed25519])
    scene.clocks.advance(by: 30)
    #expect(await scene.refusal(of: "b") == nil)
  }

  @Test(arguments: [#"{"keys":[]}"#, #"{"keys":[{"kty":"new"}]}"#])
  func `stay when a set without a usable key comes, which is a failed fetch`(empty: String) async throws {
    let scene = try RemoteScene()
    scene.publish(empty)
    #expect(await scene.refusal() == nil, "the first set may be empty")
    try scene.publish(["a": TokenScene.p256])
    try await scene.set.refresh()
    scene.publish(empty)
    let error = await scene.refusal { () async throws(AuthError) in try await typed { try await scene.set.refresh() } }
    #expect(error?.code == .keysUnavailable)
    #expect(scene.set.statistics.lastError == .keySetInvalid && scene.set.statistics.failures == 1)
    #expect(scene.set.current?.keys.map(\.keyID) == ["a"] && scene.set.keySetEpoch == 0)
    scene.clocks.advance(by: 30)
    #expect(await scene.refusal(of: "b")?.code == .keysUnavailable)
    #expect(try await scene.set.key(named: "a").keyID == "a")
  }
}
