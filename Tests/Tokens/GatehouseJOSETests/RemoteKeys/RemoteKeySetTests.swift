import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

@Suite(.endsIfItHangs) struct `A remote set of keys` {
  // MARK: Fetching

  @Test func `is fetched when it is first asked for, and not again while it is fresh`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    #expect(scene.set.current == nil)
    #expect(scene.asked == 0)
    #expect(try await scene.set.keys().keys.map(\.keyID) == ["a"])
    scene.clocks.advance(by: 700)
    #expect(try await scene.set.key(named: "a").key.publicKey == TokenScene.p256.publicKey)
    #expect(scene.set.current?.keys.count == 1)
    #expect(scene.asked == 1)
    let request = try #require(scene.transport.requests.first)
    #expect(request.method == .get && request.maximumResponseLength == 256 << 10 && !request.followsRedirects)
  }

  @Test func `is fetched once for all who ask at the same time`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    scene.transport.hold()
    let waiters = (0..<50).map { _ in Task { try await scene.set.keys().keys.count } }
    await scene.transport.waitForRequest()
    scene.transport.release()
    for waiter in waiters { #expect(try await waiter.value == 1) }
    #expect(scene.asked == 1)
    #expect(scene.set.statistics.fetches == 1)
  }

  @Test func `releases a cancelled waiter at once, and goes on fetching for the others`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    scene.transport.hold()
    let first = Task { await scene.refusal()?.code }
    await scene.transport.waitForRequest()
    let second = Task { try await scene.set.keys().keys.count }
    first.cancel()
    #expect(await first.value == .cancelled)
    scene.transport.release()
    #expect(try await second.value == 1)
    #expect(scene.asked == 1)
    #expect(scene.set.statistics.failures == 0)
  }

  @Test func `goes on fetching when everybody who waited is cancelled`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    scene.transport.hold()
    let only = Task { await scene.refusal()?.code }
    await scene.transport.waitForRequest()
    only.cancel()
    #expect(await only.value == .cancelled)
    scene.transport.release()
    #expect(try await scene.set.keys().keys.count == 1)
    #expect(scene.asked == 1)
  }

  @Test func `is not fetched by who was cancelled before`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    let waiter = Task {
      while !Task.isCancelled { await Task.yield() }
      return await scene.refusal()?.code
    }
    waiter.cancel()
    #expect(await waiter.value == .cancelled)
    #expect(scene.asked == 0)
  }

  @Test func `gives up on a transport that never answers, and tries again`() async throws {
    let clocks = ManualClocks()
    let transport = DeafTransport()
    let set = try RemoteKeySet(url: RemoteScene.url, transport: transport, clocks: clocks)
    let waiter = Task { await code { () async throws(AuthError) in _ = try await typed { try await set.keys() } } }
    await clocks.waitForSleeper(of: 5)
    clocks.advance(by: 5)
    #expect(await waiter.value == .keysUnavailable)
    #expect(set.statistics.lastError == .deadlineExceeded)
    clocks.advance(by: 1)
    let again = Task { await code { () async throws(AuthError) in _ = try await typed { try await set.keys() } } }
    await clocks.waitForSleeper(of: 5)
    clocks.advance(by: 5)
    #expect(await again.value == .keysUnavailable)
    #expect(set.statistics.fetches == 2)
    transport.letGo()
  }

  @Test func `drops an answer that comes after its time, whoever waits by then`() async throws {
    let clocks = ManualClocks()
    let transport = LateTransport()
    let set = try RemoteKeySet(url: RemoteScene.url, transport: transport, clocks: clocks)
    let first = Task { await code { () async throws(AuthError) in _ = try await typed { try await set.keys() } } }
    await transport.waitForRequest(count: 1)
    await clocks.waitForSleeper(of: 5)
    clocks.advance(by: 5)
    #expect(await first.value == .keysUnavailable)
    clocks.advance(by: 1)
    let second = Task { try await set.keys().keys.count }
    await transport.waitForRequest(count: 2)
    transport.answer(0, #"{"keys":[]}"#)
    // Enough time to mistake it for the second one's.
    for _ in 0..<1000 { await Task.yield() }
    #expect(set.current == nil)
    transport.answer(1, String(decoding: TokenScene.keys.serialized(), as: UTF8.self))
    #expect(try await second.value == TokenScene.keys.keys.count)
    #expect(set.statistics.failures == 1)
  }

  // MARK: Lifetimes

  @Test(
    arguments: [
      ("max-age=1000", 1000), ("public, MAX-AGE=1000, must-revalidate", 1000), ("max-age=\"1000\"", 1000),
      ("max-age=1", 60), ("max-age=0", 60), ("no-store", 60), ("no-cache, max-age=1000", 60),
      ("max-age=99999999999999999999", 86_400), ("max-age=5000, max-age=1000", 1000),
      ("max-age=999999999999999999999", 600), ("x-fresh=5", 600), (nil, 600), ("max-age=", 600), ("max-age=-1", 600),
      ("max-age=1e3", 600), ("public", 600),
    ] as [(String?, Double)])
  func `is fresh as long as Cache-Control says, within limits`(_ header: String?, _ lifetime: Double) async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256], cacheControl: header)
    _ = try await scene.set.keys()
    try scene.publish(["b": TokenScene.p256], cacheControl: header)
    scene.transport.hold()
    scene.clocks.advance(by: lifetime - RemoteScene.margin(lifetime) - 1)
    #expect(try await scene.set.keys().keys.map(\.keyID) == ["a"])
    #expect(scene.asked == 1)
    scene.transport.release()
    scene.clocks.advance(by: 1)
    #expect(try await scene.set.keys().keys.map(\.keyID) == ["a"])
    while scene.set.current?.keys.map(\.keyID) != ["b"] { await Task.yield() }
    #expect(scene.asked == 2)
  }

  @Test func `counts the age that the answer had when it came`() async throws {
    let scene = try RemoteScene()
    let set = try JWKSet([JWK(.publicKey(TokenScene.p256.publicKey), keyID: "a")])
    scene.transport.answer(
      RemoteScene.url,
      .status(
        200, headers: ["Content-Type": "application/json", "Cache-Control": "max-age=1000", "Age": "900"],
        body: set.serialized()))
    _ = try await scene.set.keys()
    scene.clocks.advance(by: 100)
    _ = try await scene.set.keys()
    await scene.transport.waitForRequest(count: 2)
  }

  @Test func `is fetched anew ahead of the end of its time, and nobody waits for that`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    try scene.publish(["b": TokenScene.p256])
    scene.transport.hold()
    scene.clocks.advance(by: 800)
    for _ in 0..<3 { #expect(try await scene.set.keys().keys.map(\.keyID) == ["a"]) }
    await scene.transport.waitForRequest(count: 2)
    scene.transport.release()
    while scene.set.current?.keys.map(\.keyID) != ["b"] { await Task.yield() }
    #expect(try await scene.set.keys().keys.map(\.keyID) == ["b"])
    #expect(scene.asked == 2)
  }

  @Test func `does not live longer when the wall clock is set back`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.clocks.advance(by: 1000)
    scene.clocks.setWall(0)
    _ = try await scene.set.keys()
    await scene.transport.waitForRequest(count: 2)
  }

  // MARK: Failed fetches

  @Test func `keeps what it has when a fetch fails, up to the stale limit, and no longer`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.fail()
    scene.clocks.advance(by: 1000)
    #expect(try await scene.set.keys().keys.map(\.keyID) == ["a"])
    await scene.waitForFailures(1)
    #expect(scene.asked == 2 && scene.set.statistics.lastError == .networkError)
    scene.clocks.advance(by: 86_399)
    #expect(try await scene.set.keys().keys.map(\.keyID) == ["a"])
    await scene.waitForFailures(2)
    #expect(scene.set.current != nil)
    scene.clocks.advance(by: 1)
    #expect(scene.set.current == nil)
    #expect(await scene.refusal()?.code == .keysUnavailable)
    try scene.publish(["a": TokenScene.p256])
    scene.clocks.advance(by: 30)
    #expect(try await scene.set.keys().keys.count == 1)
    #expect(scene.set.statistics.lastError == nil)
  }

  @Test func `pauses after failures, twice as long each time up to the cooldown`() async throws {
    let scene = try RemoteScene()
    scene.fail()
    var asked = 0
    for pause in [1, 2, 4, 8, 16, 30, 30] as [Double] {
      #expect(await scene.refusal()?.code == .keysUnavailable)
      asked += 1
      #expect(scene.asked == asked)
      let soon = await scene.refusal()
      #expect(soon?.code == .keysUnavailable && soon?.retryAfter == .seconds(pause))
      scene.clocks.advance(by: pause - 0.5)
      _ = await scene.refusal()
      #expect(scene.asked == asked)
      scene.clocks.advance(by: 0.5)
    }
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.fail()
    scene.clocks.advance(by: 1000)
    _ = try await scene.set.keys()
    await scene.waitForFailures(asked + 1)
    scene.clocks.advance(by: 1)
    _ = try await scene.set.keys()
    await scene.waitForFailures(asked + 2)
    #expect(scene.asked == asked + 3, "a success ends the series")
  }

  @Test func `is not fetched ahead again in the pause after that has failed`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.fail()
    scene.clocks.advance(by: 800)
    _ = try await scene.set.keys()
    while scene.set.statistics.failures == 0 { await Task.yield() }
    for _ in 0..<5 { _ = try await scene.set.keys() }
    #expect(scene.set.statistics.fetches == 2)
    scene.clocks.advance(by: 1)
    _ = try await scene.set.keys()
    while scene.set.statistics.fetches == 2 { await Task.yield() }
    #expect(scene.set.statistics.fetches == 3)
  }

  @Test func `says why keys cannot be had`() async throws {
    let scene = try RemoteScene()
    scene.fail()
    let error = await scene.refusal()
    #expect(error?.code == .keysUnavailable)
    #expect(error?.message.contains("no way [networkError]") == true)
    let pause = await scene.refusal()
    #expect(pause?.code == .keysUnavailable && pause?.retryAfter != nil)
    #expect(pause?.message == "the last fetch failed, and it is too soon for another: no way [networkError]")
  }

  // MARK: Unknown names

  @Test func `is fetched for a name that is not known, after the cooldown only`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    try scene.publish(["a": TokenScene.p256, "b": TokenScene.ed25519])
    scene.clocks.advance(by: 29)
    #expect(await scene.refusal(of: "b")?.code == .unknownKey)
    #expect(scene.asked == 1)
    scene.clocks.advance(by: 1)
    #expect(try await scene.set.key(named: "b").key.publicKey == TokenScene.ed25519.publicKey)
    #expect(scene.asked == 2)
    #expect(scene.set.statistics.unknownKeyIDs == 1)
  }

  @Test func `is not fetched for random names more than once in a cooldown, also when it is empty`() async throws {
    for keys in [[:], ["a": TokenScene.p256]] {
      let scene = try RemoteScene()
      try scene.publish(keys)
      for number in 0..<600 {
        #expect(await scene.refusal(of: "random-\(number)")?.code == .unknownKey)
        scene.clocks.advance(by: 1)
      }
      #expect(scene.asked == 20)
      #expect(scene.set.statistics.unknownKeyIDs == 600)
    }
  }

  @Test func `is not fetched for a name in the pause after a slow failure, though the cooldown is over`() async throws {
    var options = RemoteKeyOptions()
    options.cooldown = .seconds(1)
    let scene = try RemoteScene(options)
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.fail()
    scene.transport.hold()
    let slow = Task {
      await scene.refusal { () async throws(AuthError) in
        try await typed { try await scene.set.refresh() }
      }
    }
    await scene.transport.waitForRequest(count: 2)
    scene.clocks.advance(by: 0.8)
    scene.transport.release()
    #expect(await slow.value?.code == .keysUnavailable)
    scene.clocks.advance(by: 0.5)
    #expect(await scene.refusal(of: "b")?.code == .unknownKey)
    #expect(scene.asked == 2)
    scene.clocks.advance(by: 0.5)
    #expect(await scene.refusal(of: "b")?.code == .keysUnavailable)
    #expect(scene.asked == 3)
  }

  @Test func `counts the cooldown on the boot clock, whatever the wall clock shows`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256], cacheControl: "max-age=80000")
    _ = try await scene.set.keys()
    scene.clocks.setWall(TokenScene.now + 3600)
    #expect(await scene.refusal(of: "b")?.code == .unknownKey)
    #expect(scene.asked == 1)
  }

  @Test func `compares names as bytes`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["caf\u{E9}": TokenScene.p256])
    #expect(try await scene.set.key(named: "caf\u{E9}").keyID == "caf\u{E9}")
    #expect(await scene.refusal(of: "cafe\u{301}")?.code == .unknownKey)
  }

  @Test func `says that keys cannot be had when it cannot ask for a name`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    _ = try await scene.set.keys()
    scene.fail()
    scene.clocks.advance(by: 30)
    #expect(await scene.refusal(of: "b")?.code == .keysUnavailable)
    #expect(try await scene.set.key(named: "a").keyID == "a", "what is at hand still serves")
  }

  // MARK: Refreshing, epoch, statistics

  @Test func `is fetched when somebody says so, however fresh it is`() async throws {
    let scene = try RemoteScene()
    try scene.publish(["a": TokenScene.p256])
    try await scene.set.refresh()
    try scene.publish(["b": TokenScene.p256])
    try await scene.set.refresh()
    #expect(scene.set.current?.keys.map(\.keyID) == ["b"])
    scene.fail()
    let error = await scene.refusal { () async throws(AuthError) in try await typed { try await scene.set.refresh() } }
    #expect(error?.code == .keysUnavailable)
    #expect(scene.set.current?.keys.map(\.keyID) == ["b"])
  }

  @Test func `begins a new epoch when a key is gone or changed, and only then`() async throws {
    let scene = try RemoteScene()
    var epochs: [UInt64] = []
    // A set without keys is a failed fetch.
    for keys in [
      ["a": TokenScene.p256], ["a": TokenScene.p256], ["a": TokenScene.p256, "b": TokenScene.rsa],
      ["a": TokenScene.ed25519, "b": TokenScene.rsa], ["b": TokenScene.rsa], ["c": TokenScene.rsa], [:],
      ["c": TokenScene.rsa],
    ] {
      try scene.publish(keys)
      _ = await scene.refusal { () async throws(AuthError) in try await typed { try await scene.set.refresh() } }
      epochs.append(scene.set.keySetEpoch)
    }
    scene.fail()
    _ = await scene.refusal { () async throws(AuthError) in try await typed { try await scene.set.refresh() } }
    epochs.append(scene.set.keySetEpoch)
    #expect(epochs == [0, 0, 0, 1, 2, 3, 3, 3, 3])
  }

  @Test func `begins a new epoch when a key may be used for something else`() async throws {
    let scene = try RemoteScene()
    let key = JWK.Key.publicKey(TokenScene.ed25519.publicKey)
    for jwk in [try JWK(key, keyID: "a"), try JWK(key, keyID: "a", algorithm: .Ed25519)] {
      scene.publish(String(decoding: try JWKSet([jwk]).serialized(), as: UTF8.self))
      try await scene.set.refresh()
    }
    #expect(scene.set.keySetEpoch == 1)
  }

  @Test func `is another set when a key comes that is not known here: the only one that is may not be meant`()
    async throws
  {
    let scene = try RemoteScene()
    let key = try JWK(.publicKey(TokenScene.p256.publicKey)).json
    for keys in [[key], [key, ["kty": "new"]]] as [[JSONValue]] {
      scene.publish("\(JSONObject(["keys": .array(keys)]))")
      try await scene.set.refresh()
      let atHand = try #require(scene.set.current)
      #expect(atHand.skipped == keys.count - 1)
      #expect(refusal { try atHand.key(named: nil) } == (keys.count > 1 ? .unknownKey : nil))
    }
  }

  @Test func `keeps count`() async throws {
    let scene = try RemoteScene()
    let none = scene.set.statistics
    #expect(none.fetches == 0 && none.keys == 0 && none.age == nil)
    let good = try JWK(.publicKey(TokenScene.p256.publicKey), keyID: "a").json
    let set: JSONObject = ["keys": [["kty": "AKP"], good, ["kty": "new"]]]
    scene.publish(String(decoding: set.serialized(), as: UTF8.self))
    _ = try await scene.set.keys()
    scene.clocks.advance(by: 7)
    let statistics = scene.set.statistics
    #expect(statistics.keys == 1 && statistics.skipped == 2 && statistics.age == .seconds(7))
    #expect(statistics.fetches == 1 && statistics.failures == 0 && statistics.lastError == nil)
  }

  @Test func `is refused an address that is none, or in the open, and times that are none`() {
    for (url, code) in [
      ("keys.example.org", AuthError.Code.invalidArgument), ("ftp://keys.example.org", .invalidArgument),
      ("https://user@keys.example.org", .invalidArgument), ("http://keys.example.org", .insecureConnection),
    ] {
      #expect(
        refusal { try RemoteKeySet(url: url, transport: DeafTransport()) } == code, "\(url)")
    }
    for change: @Sendable (inout RemoteKeyOptions) -> Void in [
      { $0.timeout = .zero }, { $0.cooldown = .seconds(400_000_000) }, { $0.staleIfError = .seconds(-1) },
    ] {
      var options = RemoteKeyOptions()
      change(&options)
      #expect(
        refusal {
          try RemoteKeySet(url: RemoteScene.url, transport: DeafTransport(), options: options)
        } == .invalidArgument)
    }
    #expect(
      refusal {
        try RemoteKeySet(url: "http://127.0.0.1:8080/keys", transport: DeafTransport())
      } == nil)
  }

  @MainActor @Test func `leaves its caller where it was, refused or not`() async throws {
    let scene = try RemoteScene()
    scene.fail()
    #expect(await scene.refusal()?.code == .keysUnavailable)
    MainActor.assertIsolated()
    try scene.publish(["a": TokenScene.p256])
    scene.clocks.advance(by: 1)
    _ = try await scene.set.keys()
    MainActor.assertIsolated()
  }
}

extension RemoteScene {
  /// Waits for fetches that have no waiting caller.
  func waitForFailures(_ count: Int) async {
    while set.statistics.failures < count { await Task.yield() }
  }

  static func margin(_ lifetime: Double) -> Double { min(300, lifetime / 5) }
}

private func code(_ body: () async throws(AuthError) -> Void) async -> AuthError.Code? {
  do {
    try await body()
    return nil
  } catch { return error.code }
}
