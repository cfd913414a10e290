import GatehouseAgent
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules

/// An agent with three accounts, of which one loses its session and one fails now and then, callers with several needs,
/// a step of the wall clock, and a close at a moment that the schedule picks.
///
/// The fetches of one account never overlap, and no second has more of them than the budget. An answer lasts as long as
/// it was asked for. The end of a session calls the hook once. Each caller is answered exactly once, and nothing is
/// fetched after the close.
enum LendingAgent {
  private static let names = ["kept", "ended", "failing"]
  private static let budget = 2

  static func run(_ context: ScheduleContext) async throws {
    let clocks = SteppedClocks(context.clocks)
    let fetches = Fetches(context, budget: budget)
    let hooked = Lock<[String]>([])
    let agent = Agent(
      .init(
        callbackQueue: context.callbackQueue, clocks: clocks, random: context.random, callTimeout: .seconds(1_000_000),
        fetchTimeout: .seconds(1000), fetchesPerSecond: budget,
        needsPerson: { name, _ in hooked.withLock { $0.append(name) } }))
    for name in names { try agent.add(name, WatchedSource(name, clocks, context, fetches)) }
    try agent.start()
    let callers = Callers(agent, clocks, context)
    for name in names { callers.ask(name, lasting: 30) }
    let isHasty = await context.coin()
    if !isHasty {
      await context.sleep(for: .seconds(3590))
      if await context.coin() { clocks.step(by: await context.coin() ? 3600 : -3600) }
      for name in names {
        callers.ask(name, lasting: 30)
        callers.ask(name, lasting: 2000)
        callers.refresh(name)
      }
      await context.sleep(for: .seconds(100))
      for name in names { callers.refresh(name) }
    }
    try await agent.close()
    let count = fetches.count
    await context.settle()
    callers.check()
    context.check(fetches.count == count, "a closed agent has begun a fetch")
    let hooks = hooked.withLock { $0 }
    context.check(hooks.count <= 1 && hooks.allSatisfy { $0 == "ended" }, "the hook was called for \(hooks)")
  }
}

/// Callers of an agent, and how often each was answered.
private final class Callers: Sendable {
  private let agent: Agent
  private let clocks: SteppedClocks
  private let context: ScheduleContext
  private let answers = Lock<[Int]>([])

  init(_ agent: Agent, _ clocks: SteppedClocks, _ context: ScheduleContext) {
    self.agent = agent
    self.clocks = clocks
    self.context = context
  }

  func ask(_ name: String, lasting seconds: Double) {
    let caller = newCaller()
    let before = clocks.now()
    agent.token(of: name, minValidity: .seconds(seconds)) { [self] result in
      note(caller)
      guard case .success(let token) = result else { return }
      context.check(token.remaining(at: before) > seconds, "an answer lasts less than \(seconds) s")
    }
  }

  func refresh(_ name: String) {
    let caller = newCaller()
    agent.refresh(name) { [self] _ in note(caller) }
  }

  private func newCaller() -> Int {
    answers.withLock { answers in
      answers.append(0)
      return answers.count - 1
    }
  }

  private func note(_ caller: Int) { answers.withLock { $0[caller] += 1 } }

  func check() {
    let answers = answers.withLock { $0 }
    context.check(answers.allSatisfy { $0 == 1 }, "callers were answered \(answers) times")
  }
}

/// The moments at which fetches began.
private final class Fetches: Sendable {
  private let context: ScheduleContext
  private let budget: Int
  private let moments = Lock<[Double]>([])

  init(_ context: ScheduleContext, budget: Int) {
    self.context = context
    self.budget = budget
  }

  var count: Int { moments.withLock { $0.count } }

  func begin() {
    let now = context.clocks.now().boot
    let inLastSecond = moments.withLock { moments in
      moments.append(now)
      return moments.count { $0 > now - 1 }
    }
    context.check(inLastSecond <= budget, "\(inLastSecond) fetches began in one second")
  }
}

/// A source whose fetches take as long as the schedule has it.
private final class WatchedSource: TokenSource {
  let kind = "watched"
  private let name: String
  private let clocks: SteppedClocks
  private let context: ScheduleContext
  private let fetches: Fetches
  private let state = Lock((calls: 0, isFetching: false))

  init(_ name: String, _ clocks: SteppedClocks, _ context: ScheduleContext, _ fetches: Fetches) {
    self.name = name
    self.clocks = clocks
    self.context = context
    self.fetches = fetches
  }

  func fetch() async throws(AuthError) -> LentToken {
    fetches.begin()
    let (calls, overlaps) = state.withLock { state in
      defer { state.isFetching = true }
      state.calls += 1
      return (state.calls, state.isFetching)
    }
    context.check(!overlaps, "two fetches of one account overlap")
    let isFailing = await context.coin()
    state.withLock { $0.isFetching = false }
    if name == "ended", calls > 1 { throw AuthError(.userTokenExpired, "sign in again") }
    if name == "failing", isFailing { throw AuthError(.networkError, "the issuer is away") }
    return LentToken(Secret("\(name)-\(calls)"), lifetime: .seconds(3600), received: clocks.now())
  }
}

/// A schedule's clocks, whose wall clock a scenario sets.
private final class SteppedClocks: Clocks {
  private let clocks: ScheduleClocks
  private let offset = Lock(0.0)

  init(_ clocks: ScheduleClocks) { self.clocks = clocks }

  func now() -> ClockReading {
    var now = clocks.now()
    now.wall += offset.withLock { $0 }
    return now
  }

  func step(by seconds: Double) { offset.withLock { $0 += seconds } }

  /// A step is noticed at the next reading, as on a machine whose kernel does not tell of it.
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    clocks.wake(at: Alarm(boot: alarm.boot), body)
  }
}
