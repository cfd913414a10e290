import Figures
import Foundation
import GatehouseAgent
import GatehouseQueues
import GatehouseTesting

/// The figures of an agent in this process, on clocks that are moved by hand.
struct VirtualBench: Sendable {
  private static let accounts = 10_000
  private static let budget = 10

  /// An agent that has fetched the first token of each account.
  private static func agent(
    _ clocks: ManualClocks, _ source: CountedSource, fetchesPerSecond: Int
  ) async throws -> Agent {
    let agent = Agent(
      .init(
        callbackQueue: DispatchQueue(label: "bench.callbacks"), clocks: clocks, fetchesPerSecond: fetchesPerSecond))
    for number in 0..<accounts { try agent.add("account-\(number)", source) }
    try agent.start()
    // The last batch needs no further permit.
    for _ in 1..<max(accounts / fetchesPerSecond, 1) {
      await clocks.waitForSleeper(of: .seconds(1))
      await source.settle(calls: source.calls)
      clocks.advance(by: .seconds(1))
    }
    while source.calls < accounts || agent.statuses.contains(where: \.isFetching) { await Task.yield() }
    return agent
  }

  /// All accounts are due, and the issuer is away for ten minutes. Then it is back.
  func outage() async throws -> [BoundedFigure] {
    let clocks = ManualClocks()
    let source = CountedSource(clocks)
    let agent = try await Self.agent(clocks, source, fetchesPerSecond: Self.budget)
    source.isAway = true
    clocks.advance(by: .seconds(7200))
    var before = source.calls
    func second() async -> Int {
      // Accounts are due all the time, so the whole budget is used; at the end there may be less to do.
      await source.settle(calls: before + Self.budget)
      let count = source.calls - before
      before += count
      clocks.advance(by: .seconds(1))
      return count
    }
    var during = 0
    for _ in 0..<600 { during = max(during, await second()) }
    source.isAway = false
    let first = await second()
    var after = first
    for _ in 0..<60 { after = max(after, await second()) }
    try await agent.close()
    return [
      BoundedFigure(
        "refreshes in the first second after an outage of ten minutes, 10,000 accounts due, budget 10",
        [Double(first)], atMost: Double(Self.budget),
        "the fullest second had \(during) during it and \(after) in the minute after it")
    ]
  }

  /// An hour in which no account is due, second by second.
  func idle() async throws -> [BoundedFigure] {
    let clocks = ManualClocks()
    let source = CountedSource(clocks)
    let agent = try await Self.agent(clocks, source, fetchesPerSecond: Self.accounts)
    let calls = source.calls
    let before = Self.processorTime
    for _ in 0..<3600 { clocks.advance(by: .seconds(1)) }
    await source.settle(calls: calls)
    let used = Self.processorTime - before
    guard source.calls == calls else { throw BenchFailure(description: "an account was due within the hour") }
    try await agent.close()
    return [
      BoundedFigure(
        "processor time of an idle agent with 10,000 accounts, an hour of virtual time, s", [used],
        atMost: 1, "the moving of the clocks included")
    ]
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A source that counts its calls, and fails while the issuer is away.
private final class CountedSource: TokenSource {
  let kind = "counted"
  private let clocks: ManualClocks
  private let state = Lock((calls: 0, open: 0, isAway: false))

  init(_ clocks: ManualClocks) { self.clocks = clocks }

  var calls: Int { state.withLock { $0.calls } }
  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  /// Returns when so many calls have come and none is open, or nothing has happened for long.
  func settle(calls: Int) async {
    for _ in 0..<100_000 {
      if state.withLock({ $0.calls >= calls && $0.open == 0 }) { return }
      await Task.yield()
    }
  }

  func fetch() async throws(AuthError) -> LentToken {
    let isAway = state.withLock { state in
      state.calls += 1
      state.open += 1
      return state.isAway
    }
    defer { state.withLock { $0.open -= 1 } }
    if isAway { throw AuthError(.networkError, "the issuer is away") }
    return LentToken(Secret("token"), lifetime: .seconds(7200), received: clocks.now())
  }
}
