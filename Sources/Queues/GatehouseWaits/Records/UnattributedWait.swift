/// A wait for a signal whose giver is unknown.
package struct UnattributedWait: Sendable {
  package let thread: UInt32
  /// Whether it blocks a thread of Swift's cooperative pool.
  package let isCooperative: Bool
  /// The resource that the thread held meanwhile; nil if it held none.
  package let held: WatchedThread.Hold?
  package let asked: WatchedThread.Hold

  package init(thread: UInt32, isCooperative: Bool, held: WatchedThread.Hold?, asked: WatchedThread.Hold) {
    self.thread = thread
    self.isCooperative = isCooperative
    self.held = held
    self.asked = asked
  }
}
