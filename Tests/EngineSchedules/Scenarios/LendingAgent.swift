import GatehouseAgent
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules

/// An agent with three accounts, of which one loses its session and one fails now and then, callers with several needs,
/// a step of the wall clock, and a close at a moment that the schedule picks.
///
/// An answer lasts as long as it was asked for, and that of a forced refresh was fetched after the call. The end of a
/// session calls the hook once. Each caller is answered exactly once. A close waits for the fetches in flight, and
/// nothing is fetched after it.
/// `FetchLedger` has what holds for each fetch.
enum LendingAgent {
  private static let names = ["kept", "ended", "failing"]
  private static let budget = 2

  static func run(_ context: ScheduleContext) async throws {
    let clocks = SteppedClocks(context.clocks)
    let ledger = FetchLedger(context, clocks, budget: budget)
    let hooked = Lock<[String]>([])
    let agent = Agent(
      .init(
        callbackQueue: context.callbackQueue, clocks: clocks, random: context.random, callTimeout: .seconds(1_000_000),
        fetchTimeout: .seconds(1000), fetchesPerSecond: budget,
        needsPerson: { name, _ in hooked.withLock { $0.append(name) } }))
    for name in names { try agent.add(name, WatchedSource(name, clocks, context, ledger)) }
    try agent.start()
    let callers = Callers(agent, clocks, context, ledger)
    for name in names { callers.ask(name, lasting: 30) }
    let isHasty = await context.coin()
    if !isHasty {
      await context.sleep(for: .seconds(3590))
      if await context.coin() { clocks.step(by: await context.coin() ? 3600 : -3600) }
      for name in names {
        callers.ask(name, lasting: 30)
        callers.ask(name, lasting: 2000)
      }
      if await context.coin() { await context.sleep(for: .seconds(5)) }
      for name in names {
        callers.refresh(name)
        callers.ask(name, lasting: 30)
      }
      await context.sleep(for: .seconds(await context.coin() ? 100 : 5))
      for name in names {
        callers.ask(name, lasting: 30)
        callers.refresh(name)
      }
      if await context.coin() { try agent.remove("kept") }
    }
    try await agent.close()
    let count = ledger.fetches
    context.check(!ledger.isFetching, "a close has returned before a fetch in flight has ended")
    await context.settle()
    callers.check()
    context.check(ledger.fetches == count, "a closed agent has begun a fetch")
    let hooks = hooked.withLock { $0 }
    context.check(hooks.count <= 1 && hooks.allSatisfy { $0 == "ended" }, "the hook was called for \(hooks)")
  }
}

/// Callers of an agent, and how often each was answered.
private final class Callers: Sendable {
  private let agent: Agent
  private let clocks: SteppedClocks
  private let context: ScheduleContext
  private let ledger: FetchLedger
  private let answers = Lock<[Int]>([])

  init(_ agent: Agent, _ clocks: SteppedClocks, _ context: ScheduleContext, _ ledger: FetchLedger) {
    self.agent = agent
    self.clocks = clocks
    self.context = context
    self.ledger = ledger
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
    let before = ledger.noteRefresh(of: name)
    agent.refresh(name) { [self] result in
      note(caller)
      guard case .success(let token) = result else { return }
      let number = token.value.revealed.split(separator: "-").last.flatMap { Int($0) } ?? 0
      context.check(number > before, "a forced refresh was answered with the token of an earlier fetch")
    }
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

/// A source whose fetches take as long as the schedule has it.
private final class WatchedSource: TokenSource {
  let kind = "watched"
  private let name: String
  private let clocks: SteppedClocks
  private let context: ScheduleContext
  private let ledger: FetchLedger

  init(_ name: String, _ clocks: SteppedClocks, _ context: ScheduleContext, _ ledger: FetchLedger) {
    self.name = name
    self.clocks = clocks
    self.context = context
    self.ledger = ledger
  }

  func fetch() async throws(AuthError) -> LentToken {
    let number = ledger.begin(name)
    let isFailing = await context.coin()
    if name == "ended", number > 1 {
      ledger.end(name, .hasEnded)
      throw AuthError(.userTokenExpired, "sign in again")
    }
    if name == "failing", isFailing {
      let pause: Double? = await context.coin() ? 60 : nil
      ledger.end(name, .failed(pause: pause))
      throw AuthError(.networkError, "the issuer is away", retryAfter: pause.map { .seconds($0) })
    }
    ledger.end(name, .succeeded)
    return LentToken(Secret("\(name)-\(number)"), lifetime: .seconds(3600), received: clocks.now())
  }
}

/// A schedule's clocks, whose wall clock a scenario sets.
final class SteppedClocks: Clocks {
  private let clocks: ScheduleClocks
  private let offset = Lock(0.0)

  /// Whether the wall clock was set.
  var isStepped: Bool { offset.withLock { $0 } != 0 }

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
