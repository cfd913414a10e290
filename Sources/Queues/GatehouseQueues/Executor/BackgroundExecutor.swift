extension BackgroundQueue {
  /// An executor that runs the tasks which prefer it on the queue's threads, each step in its turn. Such a task may
  /// block.
  package var executor: any TaskExecutor { BackgroundExecutor(queue: self) }
}

private final class BackgroundExecutor: TaskExecutor {
  private let queue: BackgroundQueue

  init(queue: BackgroundQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Runs exactly once, as Swift requires of an executor: a background queue drops no work.
    queue.begin { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
