import Dispatch
import GatehouseQueues
import Glibc

extension ControlledScheduler {
  /// The state of the schedule that a scheduler runs.
  struct State {
    struct Alarm: Sendable {
      let moment: Double
      let body: @Sendable () -> Void
    }

    enum Decision: Sendable {
      case step(TakenStep)
      /// Blocks that each make a step ready. Run when no step is ready.
      case wake([@Sendable () -> Void])
      case rest
    }

    /// The maximum number of steps. A schedule with more is assumed never to end.
    static let mostSteps = 200_000

    var steps = Steps()
    var now = 0.0
    var alarms: [Int: Alarm] = [:]
    var settling: [@Sendable () -> Void] = []
    var waits: [Int: @Sendable () -> String] = [:]
    /// Whether the scenario has returned; the remaining steps run in arrival order.
    var hasEnded = false

    /// The worker that began the schedule, the one that runs now, its thread, and the workers that wait for orders.
    var root: Worker?
    var holder: Worker?
    var thread = pthread_self()
    var idle: [Worker] = []

    private var chooser = Chooser.given([])
    private var recordsTrace = false
    private var result = ScheduleOutcome()
    private var numbers = 0

    mutating func begin(_ chooser: Chooser, on root: Worker, recordsTrace: Bool) {
      let idle = idle
      self = State()
      self.idle = idle
      self.root = root
      self.chooser = chooser
      self.recordsTrace = recordsTrace
      hold(root)
    }

    mutating func takeNumber() -> Int {
      defer { numbers += 1 }
      return numbers
    }

    /// Records that the calling thread has the baton.
    mutating func hold(_ worker: Worker) {
      holder = worker
      thread = pthread_self()
    }

    /// Whether the calling thread is the one that runs steps. If not, some code bypasses the scheduler.
    @discardableResult
    mutating func checkThread(_ name: StaticString) -> Bool {
      guard thread == pthread_self() else {
        fail(
          """
          a step (\(name)) came from a thread that the scheduler does not run. Raw queues, threads, Task.yield and \
          Task.sleep bypass it: use the queues of GatehouseQueues, and the context's yield and sleep
          """)
        return false
      }
      return true
    }

    mutating func fail(_ message: String) { result.failure = result.failure ?? message }

    // MARK: Deciding

    mutating func decide() -> Decision {
      let candidates = steps.candidates()
      guard !candidates.isEmpty else { return wake() }
      result.steps += 1
      guard result.steps <= Self.mostSteps else {
        fail("the schedule does not end: \(Self.mostSteps) steps, and there is always another")
        result.isStuck = true
        return .rest
      }
      let index = candidates.count > 1 && !hasEnded ? pick(candidates) : 0
      guard let taken = steps.take(candidates[index]) else { return .rest }
      steps.openChain = taken.step.chain
      note(taken, of: candidates.count, index)
      return .step(taken)
    }

    mutating func end(_ taken: TakenStep) {
      steps.end(taken)
      steps.openChain = nil
    }

    private mutating func pick(_ candidates: [Steps.Candidate]) -> Int {
      var index = chooser.pick(candidates)
      if !candidates.indices.contains(index) {
        result.isForeign = true
        index = 0
      }
      result.picks.append(index)
      return index
    }

    /// Resumes the calls of `settle()`; if there are none, rings the next alarm.
    private mutating func wake() -> Decision {
      steps.openChain = nil
      if !settling.isEmpty {
        defer { settling = [] }
        return .wake(settling)
      }
      if let next = alarms.values.map(\.moment).min(), next < .infinity {
        now = max(now, next)
        let due = alarms.filter { $0.value.moment <= now }.sorted { $0.key < $1.key }
        for (number, _) in due { alarms[number] = nil }
        return .wake(due.map(\.value.body))
      }
      if !hasEnded || steps.hasCallers {
        result.isStuck = true
        fail("nothing can run any more, and the scenario has not ended\n\(waitReport)")
      }
      return .rest
    }

    private mutating func note(_ taken: TakenStep, of count: Int, _ index: Int) {
      let laneNumber = taken.lanes.first.map { $0 + 1 } ?? 0
      let fact = UInt64(count) << 48 | UInt64(index) << 32 | UInt64(laneNumber) << 8
      result.fingerprint = SplitMix.mixed(result.fingerprint ^ fact ^ UInt64(taken.step.name.utf8CodeUnitCount))
      guard recordsTrace else { return }
      let lane = taken.lanes.first.map { steps.lanes[$0].queue.label } ?? "any thread"
      let choice = count > 1 && !hasEnded ? "\(index + 1) of \(count)" : ""
      result.trace.append("\(now) s  \(choice)\t\(lane)\t\(taken.step.name)")
    }

    // MARK: Ending

    func outcome() -> ScheduleOutcome {
      var result = result
      result.isForeign = result.isForeign || chooser.hasLeftOver
      return result
    }

    /// The waits of the schedule, one line each.
    private var waitReport: String {
      let named = waits.sorted { $0.key < $1.key }.map { "  \($0.value())" }
      let lines = steps.waitReport + named
      return lines.isEmpty
        ? "  no call waits for a queue or a result: a continuation was never resumed" : lines.joined(separator: "\n")
    }
  }
}
