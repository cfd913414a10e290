/// The resources that one thread holds, and the one that it waits for, at one moment.
package struct WatchedThread: Sendable {
  /// A resource that is held or waited for, and the stack where that began: return addresses, innermost first.
  package struct Hold: Sendable {
    package let resource: WaitResource
    package let frames: [UInt]

    package init(_ resource: WaitResource, at frames: [UInt]) {
      self.resource = resource
      self.frames = frames
    }
  }

  /// The kernel's ID of the thread.
  package let id: UInt32
  package let isMain: Bool
  /// The resource that it waits for; nil if it does not wait, or not long enough to count.
  package let wait: Hold?
  /// In the order in which the thread began to hold them.
  package let holds: [Hold]

  package init(id: UInt32, isMain: Bool, wait: Hold?, holds: [Hold]) {
    self.id = id
    self.isMain = isMain
    self.wait = wait
    self.holds = holds
  }

  func holds(_ instance: UInt64, exclusively: Bool = false) -> Bool {
    holds.contains { $0.resource.instance == instance && !(exclusively && $0.resource.isShared) }
  }
}

/// Blocks that wait for their turn on a queue, or for a thread.
package struct Backlog: Sendable {
  package let queue: WaitResource
  /// The number of waiting blocks.
  package let pending: Int

  package init(queue: WaitResource, pending: Int) {
    self.queue = queue
    self.pending = pending
  }
}
