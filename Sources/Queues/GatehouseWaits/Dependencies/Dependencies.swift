/// The graph of all observed waits, and its cycles. Each cycle is a deadlock that can happen, even if it has not yet.
///
/// Like the kernel's lockdep it reasons about *classes*: it is enough that a queue of one class once waited for a queue
/// of another class, and that the reverse was also seen once. It never guesses. These rules exclude waits that cannot
/// deadlock:
///
/// - Two threads that share a resource do not wait for each other. A concurrent queue counts only if barriers use it.
/// - Where resources of one class were seen to nest (a tree of queues that share a label), the class proves nothing.
///   Only the instances count: both orders of the same two resources must have been seen.
/// - Two waits under one lock, or on one queue, never happen at once. See `WaitGuard` and `Holds`.
/// - If a wait's thread held more than the recorder could note, the unknown holds may exclude other waits.
/// - A resource that no other thread knows yet blocks no thread.
/// - Signals alone form no cycle: threads that signal each other in turn each signal before they wait.
/// - A path from one resource to another of the same class that is not a cycle of instances is also nesting.
package struct Dependencies: Sendable {
  private struct Pair: Hashable {
    let from, to: UInt32
    let scope: UInt64

    init(_ dependency: Dependency) {
      (from, to, scope) = (dependency.from.classID, dependency.to.classID, dependency.scope)
    }
  }

  /// Classes with an observation, in one test or outside all tests. The latter counts for every test.
  struct Observations {
    private struct Observation: Hashable {
      let classID: UInt32
      let scope: UInt64
    }

    private var all: Set<Observation> = []

    func contains(_ classID: UInt32, in scope: UInt64) -> Bool {
      guard !all.isEmpty else { return false }
      return all.contains(Observation(classID: classID, scope: 0))
        || scope != 0 && all.contains(Observation(classID: classID, scope: scope))
    }

    /// - Returns: whether the observation is new.
    mutating func insert(_ classID: UInt32, in scope: UInt64) -> Bool {
      if contains(classID, in: scope) { return false }
      return all.insert(Observation(classID: classID, scope: scope)).inserted
    }

    mutating func forget(scope: UInt64) { all = all.filter { $0.scope != scope } }
  }

  /// The dependencies from resources of one class, in order of arrival, and those from each resource.
  struct Outgoing {
    private(set) var all: [Dependency] = []
    private var byInstance: [UInt64: [Dependency]] = [:]

    subscript(instance: UInt64) -> [Dependency] { byInstance[instance] ?? [] }

    mutating func append(_ dependency: Dependency) {
      all.append(dependency)
      byInstance[dependency.from.instance, default: []].append(dependency)
    }

    mutating func update(_ change: (inout Dependency) -> Void) {
      for index in all.indices { change(&all[index]) }
      byInstance = Dictionary(grouping: all, by: \.from.instance)
    }

    mutating func removeAll(where isRemoved: (Dependency) -> Bool) {
      all.removeAll(where: isRemoved)
      byInstance = Dictionary(grouping: all, by: \.from.instance)
    }
  }

  /// Indexed by the class that was held.
  var outgoing: [UInt32: Outgoing] = [:]
  private var counts: [Pair: Int] = [:]
  /// Resources that only their makers knew when they were held or waited for.
  private var privates: Set<UInt64> = []
  /// Classes of which one resource was held while a thread waited for another.
  var nesting = Observations()
  var withBarriers = Observations()
  /// Classes of resources whose creation was not seen: one resource proves nothing about another.
  var unrelated = Observations()
  /// Classes of groups that are used in phases.
  private var phased = Observations()
  /// The maximum number of pairs of resources that are kept for two classes. Later ones are judged on arrival, and not
  /// kept. Within one class only the order of the resources proves anything, so the recorder's own limit applies.
  private static let maximumPairs = 64, maximumPairsOfOneClass = 4096

  /// The number of paths examined in all searches so far.
  var steps = 0

  package init() {}

  /// Whether one resource of a class represents all of them.
  func provesByClass(_ classID: UInt32, in scope: UInt64) -> Bool {
    !nesting.contains(classID, in: scope) && !unrelated.contains(classID, in: scope)
  }

  /// Adds a dependency. Returns the shortest cycle that it closes.
  ///
  /// - Parameter scopes: the tests that run. A dependency that belongs to no test can close a cycle in each of them.
  package mutating func add(_ dependency: Dependency, scopes: Set<UInt64> = []) -> DependencyCycle? {
    if dependency.reason == .selfWait { return DependencyCycle([dependency], scope: dependency.scope) }
    insert(dependency)
    return cycle(through: dependency, scopes)
  }

  /// Adds a dependency without looking for a cycle.
  mutating func insert(_ dependency: Dependency) {
    let dependency = dependency.without { phased.contains($0.classID, in: dependency.scope) }
    let isOfOneClass = dependency.from.classID == dependency.to.classID
    if !dependency.isPrivate, isOfOneClass, dependency.from.instance != dependency.to.instance {
      _ = nesting.insert(dependency.from.classID, in: dependency.scope)
    }
    let isKnown = outgoing[dependency.from.classID, default: Outgoing()][dependency.from.instance].contains {
      $0.from == dependency.from && $0.to == dependency.to && $0.scope == dependency.scope
        && $0.guards.isSubset(of: dependency.guards.subtracting(dependency.undecided))
        && ($0.givenAt ?? .max) >= (dependency.givenAt ?? .max) && $0.hasLostGuards == dependency.hasLostGuards
        && $0.side == dependency.side
        && $0.isSignal == dependency.isSignal && $0.isPrivate == dependency.isPrivate
    }
    let pair = Pair(dependency)
    let most = pair.from == pair.to ? Self.maximumPairsOfOneClass : Self.maximumPairs
    if !isKnown, counts[pair, default: 0] < most {
      counts[pair, default: 0] += 1
      outgoing[dependency.from.classID, default: Outgoing()].append(dependency)
      if dependency.isFromPrivate { privates.insert(dependency.from.instance) }
      if dependency.isToPrivate { privates.insert(dependency.to.instance) }
    }
  }

  /// Records that a barrier was used on a concurrent queue of this class. From now on a shared holder can block others,
  /// so this may close a cycle, which is returned.
  package mutating func noteBarrier(
    _ classID: UInt32, scope: UInt64 = 0, scopes: Set<UInt64> = []
  ) -> DependencyCycle? {
    guard withBarriers.insert(classID, in: scope) else { return nil }
    return cycle(throughAny: outgoing[classID]?.all ?? [], scopes)
  }

  /// Records that the creation of a class's resources was not seen: only waits for the same instances connect.
  package mutating func noteUnrelated(_ classID: UInt32, scope: UInt64 = 0) {
    _ = unrelated.insert(classID, in: scope)
  }

  /// Records that other threads knew a resource while the hold lasted under which it was made. The waits of that time
  /// count from now on, and may close a cycle, which is returned.
  package mutating func publish(instance: UInt64, scopes: Set<UInt64> = []) -> DependencyCycle? {
    guard privates.remove(instance) != nil else { return nil }
    var published: [Dependency] = []
    for key in outgoing.keys {
      outgoing[key]?.update { dependency in
        guard dependency.isPrivate else { return }
        if dependency.from.instance == instance { dependency.isFromPrivate = false }
        if dependency.to.instance == instance { dependency.isToPrivate = false }
        if !dependency.isPrivate { published.append(dependency) }
      }
    }
    for dependency in published where dependency.from.classID == dependency.to.classID {
      _ = nesting.insert(dependency.from.classID, in: dependency.scope)
    }
    return cycle(throughAny: published, scopes)
  }

  /// Records that another thread has left the group, or may leave it. So the group did not guard that wait of its
  /// member, and the wait may close a cycle, which is returned.
  package mutating func lose(
    member group: UInt64, of thread: UInt32, waiting number: UInt64, scopes: Set<UInt64> = []
  ) -> DependencyCycle? {
    change(scopes) { dependency in
      dependency.thread == thread && dependency.number == number && dependency.lose(member: group)
    }
  }

  /// Records that groups of a class are used in phases. They never guarded any waits, so this may close a cycle, which
  /// is returned.
  package mutating func notePhases(_ classID: UInt32, scope: UInt64 = 0, scopes: Set<UInt64> = []) -> DependencyCycle? {
    guard phased.insert(classID, in: scope) else { return nil }
    return change(scopes) { dependency in
      guard scope == 0 || dependency.scope == scope, dependency.guards.contains(where: { $0.classID == classID })
      else { return false }
      dependency = dependency.without { $0.classID == classID }
      return true
    }
  }

  /// Changes the dependencies for which `change` returns true. Returns the first cycle through one of them.
  private mutating func change(
    _ scopes: Set<UInt64>, _ change: (inout Dependency) -> Bool
  ) -> DependencyCycle? {
    var changed: [Dependency] = []
    for key in outgoing.keys {
      outgoing[key]?.update { if change(&$0) { changed.append($0) } }
    }
    return cycle(throughAny: changed, scopes)
  }

  private mutating func cycle(throughAny dependencies: [Dependency], _ scopes: Set<UInt64>) -> DependencyCycle? {
    for dependency in dependencies {
      if let found = cycle(through: dependency, scopes) { return found }
    }
    return nil
  }

  /// Removes the observations in a test that has ended.
  package mutating func forget(scope: UInt64) {
    forget { $0.scope == scope }
    nesting.forget(scope: scope)
    unrelated.forget(scope: scope)
    withBarriers.forget(scope: scope)
    phased.forget(scope: scope)
  }

  /// Removes the dependencies of one resource: a semaphore that turned out not to be a lock.
  package mutating func forget(instance: UInt64) {
    forget { $0.from.instance == instance || $0.to.instance == instance }
  }

  private mutating func forget(_ isRemoved: (Dependency) -> Bool) {
    for (key, dependencies) in outgoing {
      for dependency in dependencies.all where isRemoved(dependency) { counts[Pair(dependency), default: 1] -= 1 }
      outgoing[key]?.removeAll(where: isRemoved)
    }
  }
}
