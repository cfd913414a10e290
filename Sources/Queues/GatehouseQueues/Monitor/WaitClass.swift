/// What kind of thing somebody can wait for.
public enum WaitKind: String, Sendable, Hashable {
  /// A serial queue, or a concurrent one: held by the block that runs there.
  case queue
  /// Held by the thread that locked it.
  case lock
  /// A serial task queue: held by the operation under way.
  case taskQueue = "task queue"
  /// A semaphore, a group, or another thing that one party gives and another waits for.
  case signal
}

/// Things that were made at one place under one name. What is learned of one of them counts for all.
package struct WaitClass: Sendable, Hashable {
  package let kind: WaitKind
  package let label: String
  /// Where they are made, as people read it; empty if that is not known.
  package let site: String

  package init(_ kind: WaitKind, label: String, site: String) {
    self.kind = kind
    self.label = label
    self.site = site
  }

  /// Its name in reports and suppressions.
  package var name: String {
    let name = label.isEmpty ? site : label
    return "\(kind.rawValue) \(name.isEmpty ? "without a name" : name)"
  }
}

/// A thing that is held or asked for.
package struct WaitThing: Sendable, Hashable {
  package let instance: UInt64
  /// Whose things these are: a number that whoever feeds the graph gave to a `WaitClass`.
  package let classID: UInt32
  /// Others may hold it at the same time: a concurrent queue without barrier, a read lock.
  package let isShared: Bool

  package init(instance: UInt64, classID: UInt32, isShared: Bool = false) {
    self.instance = instance
    self.classID = classID
    self.isShared = isShared
  }
}

/// What keeps waits apart: two that have it in common never happen at once.
package struct WaitGuard: Sendable, Hashable {
  package let instance: UInt64
  package let classID: UInt32

  package init(instance: UInt64, classID: UInt32) {
    self.instance = instance
    self.classID = classID
  }
}

/// While `from` was held, `to` was asked for.
package struct WaitEdge: Sendable {
  package enum Reason: Sendable, Hashable {
    case asked
    /// A thread asks for what it holds itself.
    case itself
    /// The holder of `from` waits for a signal that the holder of `to` gives.
    case signal(WaitThing)
  }

  package let reason: Reason
  package let from, to: WaitThing
  /// Return addresses, innermost first: where `from` came to be held, and where `to` was asked for.
  package let heldAt, askedAt: [UInt]
  /// What else was held alone meanwhile, above all.
  package let guards: Set<WaitGuard>
  package let thread: UInt32
  /// The test that it belongs to; 0 belongs to all.
  package internal(set) var scope: UInt64

  package init(
    _ reason: Reason = .asked, from: WaitThing, to: WaitThing, heldAt: [UInt] = [], askedAt: [UInt] = [],
    guards: Set<WaitGuard> = [], thread: UInt32 = 0, scope: UInt64 = 0
  ) {
    self.reason = reason
    self.from = from
    self.to = to
    self.heldAt = heldAt
    self.askedAt = askedAt
    self.guards = guards
    self.thread = thread
    self.scope = scope
  }
}
