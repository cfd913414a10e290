import GatehouseBase

extension WaitReport {
  /// The report of a task that blocks its thread.
  package init(blockedPoolThread thread: UInt32, waitsFor asked: ResourceClass, at stack: CallStack) {
    self.init(
      .blockedPoolThread, name: asked.lastingName, title: asked.name,
      summary: """
        A task waited for \(asked.name) and blocked a thread of Swift's cooperative pool. The pool has one thread for \
        each processor. If all of them are blocked, no task runs, not even the task that would signal.
        """,
      waits: [Wait(poolThread: thread, asking: asked, askedAt: stack)],
      rule: "Await instead: use a continuation, an async sequence, or a task's value.")
  }

  /// The report of a block that took `milliseconds` of processor time on a queue.
  package init(slowBlock name: String, on queue: String, milliseconds: Int64) {
    self.init(
      .slowBlock, name: "queue \(queue): \(name)",
      summary: "\(name) ran on queue \(queue) for \(milliseconds) ms of processor time.",
      rule: "Do slow work in the background, on values, and return to the queue with the result.")
  }

  /// The report of callbacks that wait for a queue that no thread drains.
  package init(undrained queue: String, callbacks: Int) {
    self.init(
      .undrainedQueue, name: "queue \(queue)",
      summary: "\(counted(callbacks, "callback waits", "callbacks wait")) for queue \(queue), and no thread drains it.",
      rule: """
        Run the queue (RunLoop.main.run(), dispatchMain(), or an async main function), deliver callbacks to another \
        queue, or use the async calls.
        """)
  }
}
