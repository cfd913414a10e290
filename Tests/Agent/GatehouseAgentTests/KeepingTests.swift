import Dispatch
import Gatehouse
import GatehouseAgent
import GatehouseBase
import GatehouseJOSE
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

/// An agent keeps its tokens fresh by itself.
struct KeepingTests {
  // MARK: Ahead of time

  @Test(arguments: [3600.0, 100])
  func `a token is refreshed at a random moment before it is due`(lifetime: Double) async throws {
    let margin = min(300, lifetime / 5)
    var spans: Set<Double> = []
    for seed in 0..<8 {
      let heard = HeardAlarms()
      let scene = try Scene(lifetime: .seconds(lifetime)) {
        heard.clocks.withLock { [clocks = $0.clocks] in $0 = clocks }
        $0.clocks = heard
        $0.random = SeededRandomSource(seed: UInt64(seed))
      }
      try scene.agent.start()
      let span = await heard.first
      #expect((lifetime - 1.5 * margin...lifetime - margin).contains(span))
      spans.insert(span)
    }
    #expect(spans.count == 8)
  }

  @Test func `tokens that live for a second are not fetched without end`() async throws {
    let scene = try Scene(lifetime: .seconds(1))
    try scene.agent.start()
    _ = try await scene.token(minValidity: .zero)
    await scene.clocks.waitForSleeper(of: .seconds(10))
    scene.clocks.advance(by: .seconds(9.9))
    try await scene.finish()
    #expect(scene.source.calls == 1)
  }

  @Test func `a source that returns a token which it had before is not asked without end`() async throws {
    let scene = try Scene()
    let calls = Lock(0)
    let old = scene.clocks.now()
    scene.clocks.advance(by: .seconds(3590))
    try scene.agent.remove("a")
    try scene.agent.add("a", OldSource(received: old) { calls.withLock { $0 += 1 } })
    try scene.agent.start()
    for _ in 0..<10 { #expect(await scene.refusal()?.code == .invalidArgument) }
    #expect(try await scene.token(minValidity: .zero) == "old")
    await scene.clocks.waitForSleeper(of: .seconds(10))
    try await scene.finish()
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func `after a wall clock step that makes tokens due, they are refreshed at once`() async throws {
    let scene = try Scene()
    try scene.agent.start()
    _ = try await scene.token()
    await scene.clocks.waitForSleeper(within: 3300)
    scene.clocks.setWall(scene.clocks.now().wall + 86_400)
    await scene.source.waitForCall(count: 2)
  }

  @Test func `an agent that has not started fetches only what it is asked for`() async throws {
    let scene = try Scene()
    _ = try await scene.token()
    scene.clocks.advance(by: .seconds(86_400))
    try await scene.finish()
    #expect(scene.source.calls == 1)
  }

  // MARK: Many accounts

  @Test func `in no second more fetches begin than the budget has`() async throws {
    let scene = try Scene { $0.fetchesPerSecond = 10 }
    for number in 1..<25 { try scene.agent.add("account-\(number)", scene.source) }
    try scene.agent.start()
    for second in 1...2 {
      await scene.source.waitForCall(count: 10 * second)
      await scene.clocks.waitForSleeper(of: .seconds(1))
      #expect(scene.source.calls == 10 * second)
      scene.clocks.advance(by: .seconds(1))
    }
    await scene.source.waitForCall(count: 25)
    try await scene.agent.close()
    #expect(scene.source.calls == 25)
  }

  @Test func `the account that was due first is fetched first, in whatever order they ask`() async throws {
    let scene = try Scene { $0.fetchesPerSecond = 1 }
    let order = Lock<[String]>([])
    let sources = [("slow", 4000.0), ("quick", 2000), ("middle", 3000), ("first", 1000)].map { name, lifetime in
      let source = ScriptedTokenSource(clocks: scene.clocks, lifetime: .seconds(lifetime))
      return (name, source)
    }
    try scene.agent.remove("a")
    for (name, source) in sources { try scene.agent.add(name, source) }
    try scene.agent.start()
    for _ in 0..<3 {
      await scene.clocks.waitForSleeper(within: 1)
      scene.clocks.advance(by: .seconds(1))
    }
    for (name, source) in sources {
      await source.waitForCall()
      _ = try await scene.agent.token(of: name)
      source.onCall { order.withLock { $0.append(name) } }
    }
    scene.clocks.advance(by: .seconds(5000))
    while order.withLock({ $0.isEmpty }) { await Task.yield() }
    let asked = ["slow", "quick"].map { name in
      Delivery { scene.agent.token(of: name, timeout: .seconds(1000), completion: $0) }
    }
    for count in 2...4 {
      await scene.clocks.waitForSleeper(within: 1)
      scene.clocks.advance(by: .seconds(1))
      while order.withLock({ $0.count }) < count { await Task.yield() }
    }
    for delivery in asked { _ = try await delivery.value }
    #expect(order.withLock { $0 } == ["first", "quick", "middle", "slow"])
  }

  @Test func `idle accounts share one alarm`() async throws {
    let scene = try Scene { $0.fetchesPerSecond = 10_000 }
    for number in 1..<1000 { try scene.agent.add("account-\(number)", scene.source) }
    try scene.agent.start()
    await scene.source.waitForCall(count: 1000)
    for number in 1..<1000 { _ = try await scene.agent.token(of: "account-\(number)") }
    await scene.clocks.waitForSleeper(within: 3300)
    while scene.clocks.sleepers > 1 { await Task.yield() }
    #expect(scene.agent.statuses.allSatisfy { $0.state == .lending && !$0.isFetching })
    #expect(scene.clocks.sleepers == 1)
  }

  // MARK: Failures

  @Test func `an account whose refresh token may be spent is fetched again soon`() async throws {
    let scene = try Scene()
    scene.source.failAlways(AuthError.away.with { $0.isUnsettled = true })
    try scene.agent.start()
    for failures in 1...12 {
      await scene.source.waitForCall(count: failures)
      while scene.agent.statuses[0].failures < failures { await Task.yield() }
      let wait = try #require(await scene.refusal()?.retryAfter?.inSeconds)
      #expect(wait <= 15)
      await scene.clocks.waitForSleeper(within: max(wait, 1) + 0.001)
      scene.clocks.advance(by: max(wait, 1) + 0.001)
    }
  }

  @Test(arguments: ["", "two words", "a.b.c\r\nX: y", "é"])
  func `a token that no header field can have is not lent`(_ text: String) async throws {
    let scene = try Scene()
    try scene.agent.add(
      "odd", OddSource(token: LentToken(Secret(text), lifetime: .seconds(60), received: scene.clocks.now())))
    #expect(await refusalCode { try await scene.agent.token(of: "odd") } == .tokenMalformed)
  }

  @Test func `a failure begins a back-off, and its end a new fetch`() async throws {
    let scene = try Scene()
    scene.source.failAlways(.away)
    try scene.agent.start()
    for failures in 1...6 {
      await scene.source.waitForCall(count: failures)
      while scene.agent.statuses[0].failures < failures { await Task.yield() }
      let refusal = await scene.refusal()
      #expect(refusal?.code == .networkError)
      let wait = try #require(refusal?.retryAfter?.inSeconds)
      #expect(wait > 0 && wait <= Double(1 << failures))
      #expect(scene.source.calls == failures)
      await scene.clocks.waitForSleeper(within: max(wait, 1) + 0.001)
      scene.clocks.advance(by: max(wait, 1) + 0.001)
    }
    scene.source.failAlways(nil)
    await scene.source.waitForCall(count: 7)
  }

  @Test func `the issuer's wish for a pause is kept, in a forced refresh too`() async throws {
    let scene = try Scene()
    scene.source.fail(AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(500)))
    try scene.agent.start()
    #expect(await scene.refusal()?.code == .tooManyRequests)
    scene.clocks.advance(by: .seconds(499))
    #expect(await refusalCode { try await scene.agent.refresh("a") } == .tooManyRequests)
    #expect(scene.source.calls == 1)
    scene.clocks.advance(by: .seconds(1.1))
    await scene.source.waitForCall(count: 2)
    #expect(try await scene.token() == "token-2")
    #expect(scene.state == .lending)
  }

  @Test func `a refresh that waits behind a fetch keeps the issuer's pause as well`() async throws {
    let scene = try Scene()
    scene.source.hold()
    let first = Delivery { scene.agent.token(of: "a", completion: $0) }
    await scene.source.waitForCall()
    let forced = Delivery { scene.agent.refresh("a", completion: $0) }
    scene.source.fail(AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(500)))
    scene.source.release()
    #expect(await first.error?.code == .tooManyRequests)
    #expect(await forced.error?.code == .tooManyRequests)
    #expect(await forced.error?.retryAfter == .seconds(500))
    #expect(scene.source.calls == 1)
  }

  @Test(arguments: [AuthErrorCode.userTokenExpired, .invalidUserToken, .userDisabled, .userNotFound])
  func `the end of a session calls the hook once, and nothing is fetched until a refresh`(code: AuthErrorCode)
    async throws
  {
    let scene = try Scene()
    try scene.agent.start()
    _ = try await scene.token()
    scene.source.failAlways(AuthError(code, "sign in again"))
    #expect(await refusalCode { try await scene.agent.refresh("a") } == code)
    #expect(scene.state == .needsPerson(AuthError(code, "sign in again")))
    #expect(await refusalCode { try await scene.agent.refresh("a") } == code)
    for _ in 0..<5 {
      scene.clocks.advance(by: .seconds(86_400))
      #expect(await scene.refusal()?.code == code)
    }
    #expect(scene.source.calls == 3)
    scene.source.failAlways(nil)
    try await scene.agent.refresh("a")
    #expect(try await scene.token() == "token-4")
    try await scene.finish()
    #expect(scene.source.calls == 4)
    #expect(scene.hooked.withLock { $0 } == ["a"])
  }

  @Test func `a source that never answers ends by its timeout, and its late token is used`() async throws {
    let scene = try Scene { $0.fetchTimeout = .seconds(20) }
    scene.source.hold()
    let caller = Task { try await scene.agent.token(of: "a", timeout: .seconds(1000)) }
    await scene.source.waitForCall()
    await scene.clocks.waitForSleeper(of: .seconds(20))
    scene.clocks.advance(by: .seconds(20))
    #expect(await refusalCode { try await caller.value } == .deadlineExceeded)
    scene.source.release()
    while scene.state != .lending { await Task.yield() }
    #expect(try await scene.token() == "token-1")
  }

  @Test func `sources that block their threads hold up only their own accounts`() async throws {
    let scene = try Scene()
    let gate = DispatchSemaphore(value: 0)
    let blocked = ScriptedTokenSource(clocks: scene.clocks)
    blocked.onCall { Self.block(gate) }
    for number in 0..<20 { try scene.agent.add("blocked-\(number)", blocked) }
    let callers = (0..<20).map { number in Task { try await scene.agent.token(of: "blocked-\(number)") } }
    await blocked.waitForCall(count: 10)
    await scene.clocks.waitForSleeper(of: .seconds(1))
    scene.clocks.advance(by: .seconds(1))
    await blocked.waitForCall(count: 20)
    scene.clocks.advance(by: .seconds(1))
    #expect(try await scene.token() == "token-1")
    for _ in callers { gate.signal() }
    for caller in callers { _ = try await caller.value }
  }

  /// Blocks its thread, as a source of a careless user does; the test opens the gate.
  private static func block(_ gate: DispatchSemaphore) { gate.wait() }

  // MARK: Accounts come and go

  @Test func `an account that is removed ends its callers, and drops what its fetch brings`() async throws {
    let scene = try Scene()
    scene.source.hold()
    let caller = Task { try await scene.token() }
    await scene.source.waitForCall()
    try scene.agent.remove("a")
    #expect(await refusalCode { try await caller.value } == .accountUnknown)
    try scene.agent.add("a", ScriptedTokenSource(clocks: scene.clocks))
    scene.source.release()
    try await scene.finish()
    #expect(scene.state == .empty)
    #expect(await refusalCode { try scene.agent.remove("b") } == .accountUnknown)
  }

  @Test func `a token at hand is not lent after its account is removed, and not for an account of the same name`()
    async throws
  {
    let scene = try Scene()
    #expect(try await scene.token() == "token-1")
    try scene.agent.remove("a")
    #expect(await scene.refusal()?.code == .accountUnknown)
    scene.source.fail(.away)
    try scene.agent.add("a", scene.source)
    #expect(await scene.refusal()?.code == .networkError)
  }

  @Test func `a source is released when its account is removed, on the callback queue`() async throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "test.callbacks")
    queue.setSpecific(key: key, value: true)
    let scene = try Scene { $0.callbackQueue = queue }
    try scene.agent.start()
    let released = Lock<Bool?>(nil)
    try scene.agent.add(
      "b",
      LeavingSource(clocks: scene.clocks) {
        released.withLock { $0 = DispatchQueue.getSpecific(key: key) ?? false }
      })
    _ = try await scene.agent.token(of: "b")
    try scene.agent.remove("b")
    while released.withLock({ $0 }) == nil { await Task.yield() }
    #expect(released.withLock { $0 } == true)
  }

  @Test func `the source of an account that is refused is released`() async throws {
    let queue = DispatchQueue(label: "test.callbacks")
    let scene = try Scene { $0.callbackQueue = queue }
    let released = Lock(0)
    func add() -> AuthError.Code? {
      let source = LeavingSource(clocks: scene.clocks) { released.withLock { $0 += 1 } }
      do { try scene.agent.add("a", source) } catch { return (error as? AuthError)?.code }
      return nil
    }
    #expect(add() == .accountExists)
    queue.sync {}
    #expect(released.withLock { $0 } == 1)
    try await scene.agent.close()
    #expect(add() == .closed)
    queue.sync {}
    #expect(released.withLock { $0 } == 2)
  }

  @Test func `a close ends those who wait for a fetch that has not begun, and awaits the others`() async throws {
    let scene = try Scene { $0.fetchesPerSecond = 1 }
    try scene.agent.add("b", scene.source)
    scene.source.hold()
    let first = Task { try await scene.token() }
    await scene.source.waitForCall()
    let second = Delivery { scene.agent.token(of: "b", completion: $0) }
    let close = Delivery { scene.agent.close(completion: $0) }
    #expect(await second.error?.code == .closed)
    #expect(close.count == 0)
    scene.source.release()
    #expect(try await first.value == "token-1")
    try await close.value
    #expect(await scene.refusal()?.code == .closed)
    #expect(await refusalCode { try scene.agent.start() } == .closed)
    #expect(await refusalCode { try scene.agent.add("c", scene.source) } == .closed)
    try await scene.agent.close()
  }

  @Test(arguments: ["a", "A-z_0.9", String(repeating: "n", count: 64)])
  func `a name is letters, digits, periods, underscores and hyphens`(name: String) async throws {
    let scene = try Scene()
    try scene.agent.remove("a")
    try scene.agent.add(name, scene.source)
    #expect(scene.agent.statuses.map(\.name) == [name])
    #expect(await refusalCode { try scene.agent.add(name, scene.source) } == .accountExists)
  }

  @Test(arguments: ["", ".", ".a", "a/b", "é", "a b", "a\n", String(repeating: "n", count: 65), "a\u{0}"])
  func `another name is refused`(name: String) async throws {
    let scene = try Scene()
    #expect(await refusalCode { try scene.agent.add(name, scene.source) } == .invalidArgument)
  }
}

/// A source that says when it is released.
private final class LeavingSource: TokenSource {
  let kind = "leaving"
  let clocks: ManualClocks
  let leaves: @Sendable () -> Void

  init(clocks: ManualClocks, _ leaves: @escaping @Sendable () -> Void) {
    self.clocks = clocks
    self.leaves = leaves
  }

  deinit { leaves() }

  func fetch() async throws(AuthError) -> LentToken {
    LentToken(Secret("t"), lifetime: .seconds(3600), received: clocks.now())
  }
}

/// A source that has one token.
private struct OldSource: TokenSource {
  let kind = "old"
  let received: ClockReading
  let asked: @Sendable () -> Void

  init(received: ClockReading, _ asked: @escaping @Sendable () -> Void) {
    self.received = received
    self.asked = asked
  }

  func fetch() async throws(AuthError) -> LentToken {
    asked()
    return LentToken(Secret("old"), lifetime: .seconds(3600), received: received)
  }
}

/// Clocks that tell of the first alarm for a time of day, which is not a timeout.
private final class HeardAlarms: Clocks {
  let clocks = Lock<any Clocks>(ManualClocks())
  private let spans: (stream: AsyncStream<Double>, continuation: AsyncStream<Double>.Continuation) =
    AsyncStream.makeStream()

  func now() -> ClockReading { clocks.withLock { $0 }.now() }

  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    if alarm.wall != nil { spans.continuation.yield(alarm.boot - now().boot) }
    return clocks.withLock { $0 }.wake(at: alarm, body)
  }

  var first: Double {
    get async {
      for await span in spans.stream { return span }
      return .nan
    }
  }
}

/// A source that always returns the same token.
private struct OddSource: TokenSource {
  let kind = "odd source"
  let token: LentToken

  func fetch() async throws(AuthError) -> LentToken { token }
}
