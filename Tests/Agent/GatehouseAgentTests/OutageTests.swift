import Gatehouse
import GatehouseAgent
import GatehouseBase
import GatehouseTesting
import Testing

/// The issuer of many accounts is away for long.
struct OutageTests {
  @Test func `after ten minutes without the issuer no second has more fetches than the budget, and all accounts lend`()
    async throws
  {
    let budget = 100
    let scene = try Scene(lifetime: .seconds(7200)) { $0.fetchesPerSecond = budget }
    for number in 1..<1000 { try scene.agent.add("account-\(number)", scene.source) }
    try scene.agent.start()
    var calls = [0]
    await scene.seconds(9, &calls)
    await scene.source.waitForCall(count: 1000)
    await scene.settle()
    calls.append(1000)
    scene.source.failAlways(.away)
    scene.clocks.advance(by: .seconds(7200))
    await scene.seconds(20, &calls, last: .seconds(580))
    await scene.seconds(1, &calls)
    scene.source.failAlways(nil)
    await scene.seconds(8, &calls)
    while scene.agent.statuses.contains(where: { $0.state != .lending }) {
      // The agent has done what was due when its next alarm is set: otherwise the clock would run away from it.
      await scene.clocks.waitForSleepers(1)
      await scene.settle()
      scene.clocks.advance(by: .seconds(1))
    }
    #expect(zip(calls.dropFirst(), calls).map(-).max() == budget)
  }
}

extension Scene {
  /// Lets seconds pass, of which the last one may be longer, and adds the number of fetches so far at the end of each.
  fileprivate func seconds(_ count: Int, _ calls: inout [Int], last: Duration = .seconds(1)) async {
    for second in 1...count {
      // More is due than the budget allows: what was allowed has been sent when the alarm for the next permit is set.
      await clocks.waitForSleeper(of: .seconds(1))
      await settle()
      calls.append(source.calls)
      clocks.advance(by: second == count ? last : .seconds(1))
    }
  }

  /// Returns when no fetch is in flight. A look at the states overtakes what the work queue has to do, so that gets a
  /// turn in between: on one processor it would have none.
  fileprivate func settle() async {
    while agent.statuses.contains(where: \.isFetching) { _ = try? await agent.refresh("none") }
  }
}
