import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import Glibc
import HangGuard
import Testing

/// Schedules control their whole process, so each test runs in its own process.
struct SchedulesTests {
  @Test func `every order of steps that depend on nothing is found`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let orders = Lock<Set<[Int]>>([])
      let report = Schedules.explore(200) { context in
        let order = Lock<[Int]>([])
        let tasks = (0..<3).map { number in Task { order.withLock { $0.append(number) } } }
        for task in tasks { await task.value }
        orders.withLock { _ = $0.insert(order.withLock { $0 }) }
      }
      #expect(report.failure == nil)
      #expect(report.schedules == 200)
      #expect(orders.withLock { $0.count } == 6)
    }
  }

  @Test func `counts that cannot be are clamped`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      #expect(Schedules.explore(-1) { _ in }.schedules == 0)
      for changes in [-1, .min, .max] {
        #expect(Schedules.explore(2, strategy: .priorities(changes: changes)) { _ in }.schedules == 2)
      }
    }
  }

  @Test func `a queue keeps its order in every schedule, and blocks and jobs stand in one line`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(300) { context in
        let executor = SerialQueueExecutor(label: "test.line")
        let seen = Lock<[Int]>([])
        let other = Task { executor.async("other") { seen.withLock { $0.append(100) } } }
        for number in 0..<5 { executor.async("block") { seen.withLock { $0.append(number) } } }
        executor.sync("last") { seen.withLock { $0.append(5) } }
        await other.value
        await context.settle()
        let numbers = seen.withLock { $0 }.filter { $0 != 100 }
        context.check(numbers == Array(0...5), "the order was \(numbers)")
      }
      #expect(report.failure == nil, "\(report.failure?.description ?? "")")
      #expect(report.different > 3)
    }
  }

  @Test func `synchronous callers take their turns in order, and go on in any`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let turns = Lock<Set<[Int]>>([])
      let ends = Lock<Set<[Int]>>([])
      let report = Schedules.explore(2_000) { context in
        let executor = SerialQueueExecutor(label: "test.turns")
        let turn = Lock<[Int]>([])
        let end = Lock<[Int]>([])
        let callers = (0..<3).map { number in
          Task {
            executor.sync("turn") { turn.withLock { $0.append(number) } }
            executor.sync("again") {}
            end.withLock { $0.append(number) }
          }
        }
        for caller in callers { await caller.value }
        turns.withLock { _ = $0.insert(turn.withLock { $0 }) }
        ends.withLock { _ = $0.insert(end.withLock { $0 }) }
      }
      #expect(report.failure == nil, "\(report.failure?.description ?? "")")
      #expect(turns.withLock { $0.count } == 6)
      #expect(ends.withLock { $0.count } == 6)
    }
  }

  @Test func `a lost update is found, and its string loses it again, twice the same way`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scenario: Schedules.Scenario = { context in
        let balance = Lock(0)
        let deposits = (0..<2).map { _ in
          Task {
            let seen = balance.withLock { $0 }
            await context.yield()
            balance.withLock { $0 = seen + 1 }
          }
        }
        for deposit in deposits { await deposit.value }
        let sum = balance.withLock { $0 }
        context.check(sum == 2, "two deposits made \(sum)")
      }
      for strategy in [ScheduleStrategy.random, .priorities(changes: 2), .mixed] {
        let report = Schedules.explore(1_000, strategy: strategy, scenario)
        let failure = try #require(report.failure)
        #expect(failure.message == "two deposits made 1")
        #expect(!failure.isUnsteady)
        #expect(!failure.trace.isEmpty)
        let again = Schedules.replay(failure.schedule, scenario)
        #expect(again.failure?.message == failure.message)
        #expect(again.failure?.trace == failure.trace)
        #expect(again.failure?.isUnsteady == false)
      }
    }
  }

  @Test func `queues that wait for each other are found, and the report says who waits for whom`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(1_000) { context in
        let one = SerialQueueExecutor(label: "test.one")
        let other = SerialQueueExecutor(label: "test.other")
        one.async("asks the other") { other.sync("answer of the other") {} }
        other.async("asks the one") { one.sync("answer of the one") {} }
        await context.settle()
      }
      let failure = try #require(report.failure)
      #expect(failure.message.contains("nothing can run any more"))
      #expect(failure.message.contains("test.one is held by asks the other; in line: answer of the one"))
      #expect(failure.message.contains("test.other is held by asks the one; in line: answer of the other"))
      #expect(failure.schedule != "")
    }
  }

  @Test func `an operation that waits for what stands behind it is found at once`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(10) { context in
        let queue = SerialTaskQueue(label: "test.tasks", target: SerialQueueExecutor(label: "test.target"))
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
          queue.enqueue { complete in
            queue.async {
              complete()
              done.resume()
            }
          }
        }
      }
      let failure = try #require(report.failure)
      #expect(failure.message.contains("test.tasks is suspended: its operation has not ended; in line: block"))
    }
  }

  @Test func `operations of a task queue never overlap`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(500) { context in
        let queue = SerialTaskQueue(label: "test.tasks", target: SerialQueueExecutor(label: "test.target"))
        let running = Lock(0)
        let orders = Lock<[Int]>([])
        for number in 0..<4 {
          queue.enqueue { complete in
            let count = running.withLock { count in
              count += 1
              return count
            }
            context.check(count == 1, "\(count) operations run at once")
            orders.withLock { $0.append(number) }
            Task {
              await context.yield()
              running.withLock { $0 -= 1 }
              complete()
            }
          }
        }
        await context.settle()
        let order = orders.withLock { $0 }
        context.check(order == [0, 1, 2, 3], "the operations began as \(order)")
      }
      #expect(report.failure == nil, "\(report.failure?.description ?? "")")
    }
  }

  @Test func `time passes only when nothing else can happen`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(200) { context in
        let events = Lock<[String]>([])
        let sleepers = [5.0, 1.0, 3.0].map { seconds in
          Task {
            await context.sleep(for: .seconds(seconds))
            let now = (context.clocks.now().boot - 1_000).rounded()
            events.withLock { $0.append("\(seconds) at \(now)") }
          }
        }
        for _ in 0..<20 { await context.yield() }
        let now = (context.clocks.now().boot - 1_000).rounded()
        events.withLock { $0.append("busy until \(now)") }
        for sleeper in sleepers { await sleeper.value }
        let all = events.withLock { $0 }
        context.check(
          all == ["busy until 0.0", "1.0 at 1.0", "3.0 at 3.0", "5.0 at 5.0"], "what happened was \(all)")
      }
      #expect(report.failure == nil, "\(report.failure?.description ?? "")")
    }
  }

  @Test func `actors and background queues are steps too`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      actor Counter {
        var count = 0
        func add() { count += 1 }
      }
      let report = Schedules.explore(200) { context in
        let counter = Counter()
        let background = BackgroundQueue(label: "test.background", width: 2)
        let tasks = (0..<3).map { _ in
          Task {
            let number = try await background.run { () throws(AuthError) in 1 }
            for _ in 0..<number { await counter.add() }
          }
        }
        for task in tasks { try await task.value }
        let count = await counter.count
        context.check(count == 3, "\(count)")
      }
      #expect(report.failure == nil, "\(report.failure?.description ?? "")")
      #expect(report.different > 50)
    }
  }

  @Test func `what goes past the scheduler is noticed: nobody is left to go on`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(1) { context in
        await withCheckedContinuation { done in
          DispatchQueue.global().asyncAfter(deadline: .now() + 3_600) { done.resume() }
        }
      }
      #expect(report.failure?.message.contains("nothing can run any more") == true)
    }
  }

  @Test func `what goes past the scheduler is noticed: a thread goes on that is not its own`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let report = Schedules.explore(1) { context in
        let turns = Lock(0), isOver = Lock(false), isResumed = DispatchSemaphore(value: 0)
        // Once the task has had some turns, the scenario itself waits.
        @Sendable func takeTurn() {
          let count = turns.withLock { turns in
            turns += 1
            return turns
          }
          // Blocks the schedule's thread until the other one has resumed the scenario: on a busy machine the task would
          // take more turns than a schedule may have.
          if count == 3 { isResumed.wait() }
        }
        let others = Task {
          while !isOver.withLock({ $0 }) {
            takeTurn()
            await context.yield()
          }
        }
        await withCheckedContinuation { done in
          // A thread unknown to the scheduler observes from outside; its timing has no influence.
          DispatchQueue.global().async {
            while turns.withLock({ $0 }) < 3 { usleep(100) }
            done.resume()
            isResumed.signal()
          }
        }
        isOver.withLock { $0 = true }
        await others.value
      }
      #expect(report.failure?.message.contains("from a thread") == true, "\(report.failure?.message ?? "unnoticed")")
    }
  }

  @Test func `a scenario that is not the same from run to run is told so`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let runs = Lock(0)
      let report = Schedules.explore(10) { context in
        let run = runs.withLock { runs in
          runs += 1
          return runs
        }
        for _ in 0..<run { await context.yield() }
      }
      #expect(report.failure?.isUnsteady == true)
      #expect(report.failure?.message.contains("not the same from run to run") == true)
    }
  }

  @Test func `a string that is no schedule, or of another scenario, is refused`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scenario: Schedules.Scenario = { context in
        let task = Task {}
        await task.value
      }
      for text in ["", "?", "0", "00000", "zzzzzzzzzzzzzzzz", "é"] {
        #expect(Schedules.replay(text, scenario).failure?.message.contains("not a schedule") == true, "\(text)")
      }
      #expect(Schedules.replay("0y7", scenario).failure?.message.contains("not of this scenario") == true)
      #expect(Schedules.replay("-", scenario).failure == nil)
    }
  }

  @Test func `a lane within a lane within a lane keeps the line of the outermost`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let orders = Lock<Set<String>>([])
      let report = Schedules.explore(500) { context in
        let outer = SerialQueue(label: "test.outer")
        let middle = SerialQueue(label: "test.middle", target: outer)
        let inner = SerialQueue(label: "test.inner", target: middle)
        let seen = Lock("")
        let running = Lock(0)
        @Sendable func note(_ letter: String) {
          let count = running.withLock { count in
            count += 1
            return count
          }
          context.check(count == 1, "two at once in one line")
          seen.withLock { $0 += letter }
          running.withLock { $0 -= 1 }
        }
        let caller = Task { inner.sync { note("s") } }
        inner.async { note("a") }
        inner.async { note("b") }
        middle.async { note("m") }
        outer.async(after: .seconds(5)) { note("o") }
        await caller.value
        await context.settle()
        await context.sleep(for: .seconds(10))
        let order = seen.withLock { $0 }
        context.check(order.filter { "ab".contains($0) } == "ab" && order.last == "o", order)
        orders.withLock { _ = $0.insert(order) }
      }
      #expect(report.failure == nil, "\(report.failure?.description ?? "")")
      #expect(orders.withLock { $0 } == ["absmo", "abmso"])
    }
  }

  @Test func `a crash tells its schedule`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      endIfItHangs()
      _ = Schedules.explore(100) { context in
        let hasRun = Lock(false)
        let task = Task { hasRun.withLock { $0 = true } }
        await context.yield()
        precondition(hasRun.withLock { $0 }, "the task had not run")
        await task.value
      }
    }
    let words = String(decoding: result.standardErrorContent, as: UTF8.self)
    let expected = #/crashed by signal \d+ in the schedule: [-0-9a-z]+\n/#
    #expect(words.contains(expected), "\(words)")
  }
}
