import GatehouseQueues
import GatehouseSchedules

/// The fetches of an agent, account by account, and the rules that each of them keeps:
///
/// - The fetches of one account never overlap, and no second has more fetches than the budget.
/// - After a success the next fetch begins within 25 minutes only for a forced refresh, or after a step of a clock.
/// - An account whose session has ended is fetched only for a forced refresh.
/// - Nothing is fetched during a pause that the issuer has asked for.
final class FetchLedger: Sendable {
  /// The result of a fetch.
  enum Result: Sendable {
    case succeeded, hasEnded
    /// `pause`: the seconds for which the issuer wants no further request.
    case failed(pause: Double?)
  }

  private struct Account {
    var fetches = 0
    var refreshes = 0
    var isFetching = false
    var hasEnded = false
    /// The moment of the latest fetch if it succeeded, and the end of the issuer's pause, on the boot clock.
    var success: Double?
    var pauseEnd = -Double.infinity
    /// The numbers of fetches that only a forced refresh explains.
    var early = 0
    var afterEnd = 0
  }

  private struct State {
    var moments: [Double] = []
    var accounts: [String: Account] = [:]
  }

  private let context: ScheduleContext
  private let clocks: SteppedClocks
  private let budget: Int
  private let state = Lock(State())

  init(_ context: ScheduleContext, _ clocks: SteppedClocks, budget: Int) {
    self.context = context
    self.clocks = clocks
    self.budget = budget
  }

  /// Whether a fetch is in flight.
  var isFetching: Bool { state.withLock { $0.accounts.values.contains(where: \.isFetching) } }

  /// The number of fetches of all accounts.
  var fetches: Int { state.withLock { $0.moments.count } }

  /// Notes a forced refresh that is about to be called, and returns the number of fetches that began before.
  func noteRefresh(of name: String) -> Int {
    state.withLock { state in
      state.accounts[name, default: Account()].refreshes += 1
      return state.accounts[name]?.fetches ?? 0
    }
  }

  /// Notes that a fetch begins, and returns its number.
  func begin(_ name: String) -> Int {
    let now = context.clocks.now().boot, isStepped = clocks.isStepped
    let (number, faults) = state.withLock { state in
      var account = state.accounts[name, default: Account()]
      var faults: [String] = []
      state.moments.append(now)
      let inLastSecond = state.moments.count { $0 > now - 1 }
      if inLastSecond > budget { faults.append("\(inLastSecond) fetches began in one second") }
      if account.isFetching { faults.append("two fetches of one account overlap") }
      if now < account.pauseEnd, !isStepped { faults.append("a fetch began in the issuer's pause") }
      // A step of the clock allows one fetch more.
      if let success = account.success, now - success < 1500 { account.early += 1 }
      if account.early > account.refreshes + (isStepped ? 1 : 0) {
        faults.append("a fetch began that no account needs")
      }
      if account.hasEnded { account.afterEnd += 1 }
      if account.afterEnd > account.refreshes { faults.append("a fetch began after the end without a refresh") }
      account.fetches += 1
      account.isFetching = true
      state.accounts[name] = account
      return (account.fetches, faults)
    }
    for fault in faults { context.check(false, "\(fault): \(name)") }
    return number
  }

  func end(_ name: String, _ result: Result) {
    let now = context.clocks.now().boot
    state.withLock { state in
      var account = state.accounts[name, default: Account()]
      account.isFetching = false
      account.success = nil
      switch result {
      case .succeeded: (account.success, account.hasEnded) = (now, false)
      case .hasEnded: account.hasEnded = true
      case .failed(let pause): account.pauseEnd = pause.map { now + $0 } ?? account.pauseEnd
      }
      state.accounts[name] = account
    }
  }
}
