/// One recorded event of the timeline.
package struct TimelineEvent: Sendable {
  /// The thread's action.
  package enum Action: Sendable {
    /// Submitted a block to the queue.
    case submit
    /// Began to wait for the queue.
    case wait
    /// Began to run a block of the queue.
    case begin
    /// Ended that block.
    case end
    /// Got the resource, or gave up.
    case waited
  }

  package let action: Action
  package let thread: UInt32
  /// Monotonic nanoseconds.
  package let at: UInt64
  package let queue: UInt64
  package let classID: UInt32
  /// The number of a submitted block; 0 if the caller waits for it.
  package let job: UInt32

  package init(_ action: Action, thread: UInt32, at: UInt64, queue: UInt64, classID: UInt32, job: UInt32 = 0) {
    self.action = action
    self.thread = thread
    self.at = at
    self.queue = queue
    self.classID = classID
    self.job = job
  }
}
