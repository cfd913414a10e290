/// fatbobman/CoreDataEvolution#1: an executor whose `enqueue` does not return before the job has run, as
/// `performAndWait` does. Two actors on such executors that call each other hold one context and wait for the
/// other's.
extension Case {
  static let waitingExecutor = Case(
    "waiting-executor", "Two actors call each other, on executors that run a job before they return",
    after: "fatbobman/CoreDataEvolution#1", is: .cycle
  ) { run in
    let people = Store(on: WaitingExecutor(label: "people"))
    let places = Store(on: WaitingExecutor(label: "places"))
    @Sendable func call(_ one: Store, then other: Store) {
      let done = Event()
      Task {
        await one.call(other, run)
        done.happen()
      }
      done.wait()
    }
    run.orders({ call(people, then: places) }, { call(places, then: people) })
  }
}

private actor Store {
  private let executor: WaitingExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(on executor: WaitingExecutor) { self.executor = executor }

  func call(_ other: Store, _ run: Run) async {
    run.meet()
    await other.answer()
  }

  func answer() {}
}

/// Runs each job on its queue, and waits for it; a job that is already there is run in place.
private final class WaitingExecutor: SerialExecutor {
  private let queue: SerialQueue
  private let holder = Holder()

  init(label: String) { queue = SerialQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard !holder.isThisThread else { return job.runSynchronously(on: asUnownedSerialExecutor()) }
    queue.sync {
      holder.enter()
      job.runSynchronously(on: asUnownedSerialExecutor())
      holder.leave()
    }
  }
}
