/// One observed wait: while a thread held `from`, it waited for `to`.
package struct Dependency: Sendable {
  /// How the wait came about.
  package enum Reason: Sendable, Hashable {
    /// A thread that held `from` waited for `to`.
    case wait
    /// A thread waited for a resource that it already held.
    case selfWait
    /// The holder of `from` waited for a signal that the holder of `to` gives.
    case signal(WaitResource)
  }

  package let reason: Reason
  package let from, to: WaitResource
  /// Return addresses, innermost first: where the thread began to hold `from`, and where it waited for `to`.
  package let heldAt, waitedAt: [UInt]
  /// What keeps this wait apart from others: above all, the resources that the thread held exclusively meanwhile.
  package let guards: Set<WaitGuard>
  package let thread: UInt32
  /// The test that it belongs to; 0 belongs to all tests.
  package var scope: UInt64

  package init(
    _ reason: Reason = .wait, from: WaitResource, to: WaitResource, heldAt: [UInt] = [], waitedAt: [UInt] = [],
    guards: Set<WaitGuard> = [], thread: UInt32 = 0, scope: UInt64 = 0
  ) {
    self.reason = reason
    self.from = from
    self.to = to
    self.heldAt = heldAt
    self.waitedAt = waitedAt
    self.guards = guards
    self.thread = thread
    self.scope = scope
  }

  var isSignal: Bool { if case .signal = reason { true } else { false } }
}

/// Dependencies that form a cycle: each leads to the resource, or the class, that the next one comes from.
package struct DependencyCycle: Sendable {
  package let dependencies: [Dependency]
  /// The test that it belongs to; 0: none.
  package let scope: UInt64

  package init(_ dependencies: [Dependency], scope: UInt64 = 0) {
    self.dependencies = dependencies
    self.scope = scope
  }

  /// The classes of the cycle, in ascending order: two cycles of the same classes are one finding.
  package var classIDs: [UInt32] { Set(dependencies.map(\.from.classID)).sorted() }
}
