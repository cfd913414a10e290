/// A queue, lock or signal that is held or waited for.
package struct WaitResource: Sendable, Hashable {
  /// A unique number.
  package let instance: UInt64
  /// The number of its `ResourceClass`. The caller that builds the values assigns it.
  package let classID: UInt32
  /// Whether others may hold it at the same time, as for a concurrent queue without a barrier or a read lock.
  package let isShared: Bool

  package init(instance: UInt64, classID: UInt32, isShared: Bool = false) {
    self.instance = instance
    self.classID = classID
    self.isShared = isShared
  }
}

/// A resource that a thread held, or took part in, while it waited, and that keeps that wait apart from others.
package struct WaitGuard: Sendable, Hashable {
  /// The side of the guard on which the thread was. Only certain sides exclude each other.
  package enum Side: Sendable, Hashable {
    /// It held the resource exclusively.
    case alone
    /// It held the resource with others: a read lock, a block on a concurrent queue.
    case shared
    /// It was a member of the group.
    case member
    /// It saw the group empty, and kept new members out.
    case keptOut
    /// It ran a block of the main queue that does not declare that it must run there. The same code may run elsewhere
    /// tomorrow.
    case main
    /// It ran the activity, a block or a thread, that the wait comes from.
    case run
    /// It ran that activity when it waited for a signal.
    case ran
  }

  /// Whether two waits can happen at once.
  enum Verdict { case together, apart, apartOnMainOnly }

  package let instance: UInt64
  package let classID: UInt32
  package let side: Side

  package init(instance: UInt64, classID: UInt32, side: Side = .alone) {
    self.instance = instance
    self.classID = classID
    self.side = side
  }

  /// The verdict on two waits, one on each of two sides of the same guard.
  static func verdict(_ one: Side, _ other: Side) -> Verdict {
    switch (one, other) {
    case (.alone, .alone), (.alone, .shared), (.shared, .alone), (.member, .keptOut), (.keptOut, .member): .apart
    // One thread runs an activity, and waits for one thing at a time.
    case (.run, .ran), (.ran, .run): .apart
    case (.main, .main), (.main, .alone), (.alone, .main): .apartOnMainOnly
    default: .together
    }
  }
}
