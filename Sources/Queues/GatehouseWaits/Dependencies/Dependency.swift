/// One observed wait: while a thread held `from`, it waited for `to`.
package struct Dependency: Sendable {
  /// The cause of the wait.
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
  /// The guards of this wait: mainly the other resources that the thread held meanwhile.
  package private(set) var guards: Set<WaitGuard>
  /// Groups of which the thread was a member. They are guards once the same thread leaves them. See `assumed`.
  package private(set) var undecided: Set<WaitGuard>
  /// Whether the thread held more than the recorder could note, so that other guards of this wait are unknown.
  package let hasLostGuards: Bool
  /// How the thread held `from`; nil: as the main thread outside a block of the main queue, which guards no wait.
  package let side: WaitGuard.Side?
  package let thread: UInt32
  /// Distinguishes the waits of one thread.
  package let number: UInt64
  /// If `to` is a block or a thread that gives a signal: the number of the event at which it gave the signal last. What
  /// it waits for after that, with a higher number, keeps no thread waiting.
  package let givenAt: UInt64?
  /// The test that it belongs to; 0 belongs to all tests.
  package var scope: UInt64
  /// Whether no other thread knew `from`, or `to`, at the time of this wait. It counts once others turn out to have
  /// known it.
  package internal(set) var isFromPrivate, isToPrivate: Bool
  /// Whether later waits between resources of these classes, with guards of these classes, were left out.
  package let isLast: Bool
  /// Whether the wait is for a signal whose giver is a block that was submitted to the queue `to` while the waiter held
  /// `from`. The block is behind any thread that holds the queue at that moment.
  package let isAnswer: Bool

  package init(
    _ reason: Reason = .wait, from: WaitResource, to: WaitResource, heldAt: [UInt] = [], waitedAt: [UInt] = [],
    guards: Set<WaitGuard> = [], undecided: Set<WaitGuard> = [], hasLostGuards: Bool = false,
    side: WaitGuard.Side? = .alone, thread: UInt32 = 0, number: UInt64 = 0, givenAt: UInt64? = nil, scope: UInt64 = 0,
    isFromPrivate: Bool = false, isToPrivate: Bool = false, isLast: Bool = false,
    isAnswer: Bool = false
  ) {
    self.reason = reason
    self.from = from
    self.to = to
    self.heldAt = heldAt
    self.waitedAt = waitedAt
    self.guards = guards
    self.undecided = undecided
    self.hasLostGuards = hasLostGuards
    self.side = side == .alone && from.isShared ? .shared : side
    self.thread = thread
    self.number = number
    self.givenAt = givenAt
    self.scope = scope
    self.isFromPrivate = isFromPrivate
    self.isToPrivate = isToPrivate
    self.isLast = isLast
    self.isAnswer = isAnswer
  }

  /// Returns the dependency without the guards that turn out not to be guards.
  func without(_ isNone: (WaitGuard) -> Bool) -> Dependency {
    guard guards.contains(where: isNone) else { return self }
    var same = self
    same.guards = guards.filter { !isNone($0) }
    return same
  }

  /// The dependency while it is unknown which thread will leave the groups: until then they count as guards.
  package var assumed: Dependency {
    var same = self
    same.guards.formUnion(undecided)
    return same
  }

  /// Records that a thread other than the waiting one leaves the group. Returns whether the group was a guard.
  mutating func lose(member group: UInt64) -> Bool {
    guard let lost = undecided.first(where: { $0.instance == group }) else { return false }
    undecided.remove(lost)
    guards.remove(lost)
    return true
  }

  var isSignal: Bool { if case .signal = reason { true } else { false } }
  var isPrivate: Bool { isFromPrivate || isToPrivate }

  /// Whether it is known that one call of a thread made both. The thread held `from` of the one and of the other.
  func isOneWait(with other: Dependency) -> Bool {
    guard reason == other.reason else { return false }
    return from == other.from && to == other.to || number != 0 && number == other.number && thread == other.thread
  }

  /// `from` as a guard; nil if it guards no wait.
  var origin: WaitGuard? { side.map { WaitGuard(instance: from.instance, classID: from.classID, side: $0) } }
}

/// Dependencies that form a cycle: each leads to the resource, or the class, that the next one comes from.
package struct DependencyCycle: Sendable {
  package let dependencies: [Dependency]
  /// The test that it belongs to; 0: none.
  package let scope: UInt64
  /// Whether two of the waits were seen only in blocks of the main queue. If that code always runs there, they never
  /// happen at once.
  package let isKeptApartByMain: Bool

  package init(_ dependencies: [Dependency], scope: UInt64 = 0, isKeptApartByMain: Bool = false) {
    self.dependencies = dependencies
    self.scope = scope
    self.isKeptApartByMain = isKeptApartByMain
  }

  /// The classes of which one resource represents another one.
  package var representing: [UInt32] {
    zip(dependencies, dependencies.dropFirst() + dependencies.prefix(1)).compactMap { one, next in
      one.to.instance == next.from.instance ? nil : next.from.classID
    }
  }

  /// The classes of the cycle, in ascending order: two cycles of the same classes are one finding.
  package var classIDs: [UInt32] { Set(dependencies.map(\.from.classID)).sorted() }

  /// Whether the waits of a shorter cycle are waits of this one, too: their threads held resources of both cycles. Then
  /// the shorter one says it all.
  package func contains(_ shorter: DependencyCycle) -> Bool {
    guard shorter.dependencies.count < dependencies.count, shorter.scope == scope,
      shorter.isKeptApartByMain == isKeptApartByMain
    else { return false }
    return shorter.dependencies.allSatisfy { one in dependencies.contains { $0.isOneWait(with: one) } }
      && Set(shorter.classIDs).isStrictSubset(of: classIDs)
  }
}
