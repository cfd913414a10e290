extension BackgroundQueue {
  /// Has the tasks that prefer it run on the queue's threads, each step in its turn: such a task may block.
  package var executor: any TaskExecutor { BackgroundExecutor(queue: self) }
}

private final class BackgroundExecutor: TaskExecutor {
  private let queue: BackgroundQueue

  init(queue: BackgroundQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Runs exactly once, as Swift asks of an executor: a background queue drops nothing.
    queue.begin { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
