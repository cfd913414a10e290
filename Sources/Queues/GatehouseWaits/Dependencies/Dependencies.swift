/// The graph of all observed waits, and its cycles. Each cycle is a deadlock that can happen, even if it has not yet.
///
/// Like the kernel's lockdep it reasons about *classes*: it is enough that a queue of one class once waited for a queue
/// of another class, and that the reverse was also seen once. It never guesses. These rules exclude waits that cannot
/// deadlock:
///
/// - Two threads that share a resource do not wait for each other. A concurrent queue counts only if barriers use it.
/// - Where resources of one class, or of one family of classes, were seen to nest (a tree of queues that share a
///   label), the class proves nothing. Only the instances count: both orders of the same two resources must have been
///   seen.
/// - Two waits under one lock, or on one queue, never happen at once. See `WaitGuard` and `Holds`.
/// - If a wait's thread held more than the recorder could note, the unknown holds may exclude other waits.
/// - A resource that no other thread knows yet blocks no thread.
/// - Signals alone form no cycle: threads that signal each other in turn each signal before they wait. Answers do: the
///   block that gives one was submitted to a queue during the waiter's hold, so it is behind any holder of the queue.
/// - A path from one resource to another of the same class that is not a cycle of instances is also nesting.
package struct Dependencies: Sendable {
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
    private struct Ends: Hashable { let from, to: UInt64 }

    private(set) var all: [Dependency] = []
    private var byInstance: [UInt64: [Int]] = [:]
    private var byEnds: [Ends: [Int]] = [:]

    subscript(instance: UInt64) -> [Dependency] { byInstance[instance]?.map { all[$0] } ?? [] }

    /// The dependencies between two resources.
    subscript(from: WaitResource, to: WaitResource) -> [Dependency] {
      byEnds[Ends(from: from.instance, to: to.instance)]?.map { all[$0] } ?? []
    }

    mutating func append(_ dependency: Dependency) {
      all.append(dependency)
      index(all.count - 1)
    }

    private mutating func index(_ number: Int) {
      let (from, to) = (all[number].from.instance, all[number].to.instance)
      byInstance[from, default: []].append(number)
      byEnds[Ends(from: from, to: to), default: []].append(number)
    }

    mutating func update(_ change: (inout Dependency) -> Void) {
      for index in all.indices { change(&all[index]) }
    }

    mutating func removeAll(where isRemoved: (Dependency) -> Bool) {
      all.removeAll(where: isRemoved)
      (byInstance, byEnds) = ([:], [:])
      for number in all.indices { index(number) }
    }
  }

  /// Indexed by the class that was held.
  var outgoing: [UInt32: Outgoing] = [:]
  /// Resources that only their makers knew when they were held or waited for.
  private var privates: Set<UInt64> = []
  /// Classes, or families of classes, of which one resource was held while a thread waited for another.
  var nesting = Observations()
  /// The family of each class that has one, see `noteFamily`.
  private var families: [UInt32: UInt32] = [:]
  var withBarriers = Observations()
  /// Classes of resources whose creation was not seen: one resource proves nothing about another.
  var unrelated = Observations()
  /// Classes of groups that are used in phases.
  private var phased = Observations()
  /// Waits after which the recorder left out others of their kind.
  private var lastOfTheirKind: [Dependency] = []

  /// The order of the resources in each test, as far as it was needed, and the regions in which there is none.
  private var orders: [UInt64: WaitOrder] = [:]
  private var regions: [UInt64: [Int: Region]] = [:]

  /// The number of waits examined in all searches so far.
  package internal(set) var steps = 0
  /// The value of `steps` at which searches end. Each new wait adds to it.
  var allowance = WaitBounds.stepsAtFirst
  /// The number of searches that ended before they had seen every path.
  package internal(set) var unfinished = 0
  /// The cycles that are no deadlock only because of what the recorder could not note: two classes of each.
  var uncertain: Set<[UInt32]> = []

  /// Whether the user has ended the search. Asked now and then while one lasts.
  private let isEnded: @Sendable () -> Bool

  /// - Parameter isEnded: whether the search shall end with what it has found so far.
  package init(isEnded: @escaping @Sendable () -> Bool = { false }) { self.isEnded = isEnded }

  /// Counts a step of a search. Returns whether the search may make it.
  mutating func mayStep() -> Bool {
    guard steps < allowance else { return false }
    steps += 1
    if steps.isMultiple(of: WaitBounds.stepsBetweenQuestions), isEnded() { allowance = 0 }
    return true
  }

  /// Whether one resource of a class represents all of them.
  func provesByClass(_ classID: UInt32, in scope: UInt64) -> Bool {
    !nesting.contains(family(of: classID), in: scope) && !unrelated.contains(classID, in: scope)
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
    learnNesting(from: dependency)
    let isKnown = outgoing[dependency.from.classID, default: Outgoing()][dependency.from, dependency.to].contains {
      $0.from == dependency.from && $0.to == dependency.to && $0.scope == dependency.scope
        && $0.guards.isSubset(of: dependency.guards.subtracting(dependency.undecided))
        && ($0.givenAt ?? .max) >= (dependency.givenAt ?? .max) && $0.hasLostGuards == dependency.hasLostGuards
        && $0.side == dependency.side && $0.isAnswer == dependency.isAnswer
        && $0.isSignal == dependency.isSignal && $0.isPrivate == dependency.isPrivate
    }
    if dependency.isLast { lastOfTheirKind.append(dependency) }
    if !isKnown {
      outgoing[dependency.from.classID, default: Outgoing()].append(dependency)
      if dependency.isFromPrivate { privates.insert(dependency.from.instance) }
      if dependency.isToPrivate { privates.insert(dependency.to.instance) }
      allowance += WaitBounds.stepsOfAWait
      order(dependency)
    }
  }

  // MARK: - Order

  /// Records that resources of a class are held while others of the same class are waited for.
  mutating func learnNesting(_ classID: UInt32, in scope: UInt64) {
    if nesting.insert(family(of: classID), in: scope) { forgetOrder(scope) }
  }

  /// Learns from a wait whether two resources of one family are held at once. Does not add the wait.
  mutating func learnNesting(from dependency: Dependency) {
    let (from, to) = (dependency.from, dependency.to)
    guard !dependency.isPrivate, from.instance != to.instance, family(of: from.classID) == family(of: to.classID)
    else { return }
    learnNesting(from.classID, in: dependency.scope)
  }

  private func family(of classID: UInt32) -> UInt32 { families[classID] ?? classID }

  /// Records that a class is one of several of one kind, among which the program may keep an order. Call it before any
  /// wait of the class is added.
  ///
  /// - Parameter family: one of these classes, the same for all of them.
  package mutating func noteFamily(_ family: UInt32, of classID: UInt32) {
    if family != classID { families[classID] = family }
  }

  /// Drops an order that no longer fits what is known of classes. It is made again when it is needed.
  private mutating func forgetOrder(_ scope: UInt64) {
    guard scope != 0 else {
      orders = [:]
      regions = [:]
      return
    }
    orders[scope] = nil
    regions[scope] = nil
  }

  private func end(_ resource: WaitResource, isAsked: Bool, _ scope: UInt64) -> WaitOrder.Node {
    let isOfClass = provesByClass(resource.classID, in: scope)
    return WaitOrder.Node(
      classID: resource.classID, instance: isOfClass ? 0 : resource.instance, isAsked: isAsked,
      isShared: resource.isShared)
  }

  /// Adds a wait to the orders that there are.
  private mutating func order(_ dependency: Dependency) {
    guard !dependency.isPrivate else { return }
    // The list is made first: an order that is also read elsewhere would be copied.
    for scope in Array(orders.keys) where dependency.scope == 0 || dependency.scope == scope {
      order(dependency, scope)
    }
  }

  private mutating func order(_ dependency: Dependency, _ scope: UInt64) {
    let from = end(dependency.from, isAsked: false, scope), to = end(dependency.to, isAsked: true, scope)
    let withBarriers = withBarriers
    orders[scope]?.insert(from, to) { classID, isAsked, isHeld in
      !isAsked || !isHeld || withBarriers.contains(classID, in: scope)
    }
    // A wait that leads forwards changes no region.
    if orders[scope]?.component(of: from, to) != nil { regions[scope] = nil }
  }

  /// The waits among which a wait can be part of a cycle; nil if there are none.
  mutating func region(of dependency: Dependency, _ scope: UInt64) -> Region? {
    if orders[scope] == nil {
      orders[scope] = WaitOrder()
      for known in outgoing.values.flatMap(\.all) where !known.isPrivate && [0, scope].contains(known.scope) {
        order(known, scope)
      }
    }
    let from = end(dependency.from, isAsked: false, scope), to = end(dependency.to, isAsked: true, scope)
    // It may be one that is judged and not kept.
    if orders[scope]?.has(from, to) == false { order(dependency, scope) }
    guard let order = orders[scope], let component = order.component(of: from, to) else { return nil }
    if let known = regions[scope]?[component] { return known }
    var members: [Dependency] = []
    for node in order.nodes(in: component) where !node.isAsked {
      let from = outgoing[node.classID]
      for known in (node.instance == 0 ? from?.all : from?[node.instance]) ?? []
      where known.from.isShared == node.isShared && !known.isPrivate && [0, scope].contains(known.scope) {
        let from = end(known.from, isAsked: false, scope), to = end(known.to, isAsked: true, scope)
        if order.component(of: from, to) == component { members.append(known) }
      }
    }
    let region = Region(members) { provesByClass($0, in: scope) }
    regions[scope, default: [:]][component] = region
    return region
  }

  /// Whether the waits among which this one is form one ring, and no other cycle.
  mutating func isInRing(_ dependency: Dependency, of count: Int) -> Bool {
    region(of: dependency, dependency.scope)?.links.count == count
  }

  /// Whether some of the waits among which this one is connect only by their classes.
  mutating func hasClasses(around dependency: Dependency) -> Bool {
    region(of: dependency, dependency.scope)?.classes.isEmpty == false
  }

  /// Returns the losses that could change the result: one line for each reason.
  package func omissions(in scope: UInt64 = 0) -> [String] {
    var order = WaitOrder()
    func end(_ resource: WaitResource, _ isAsked: Bool) -> WaitOrder.Node {
      WaitOrder.Node(classID: resource.classID, instance: 0, isAsked: isAsked, isShared: false)
    }
    if !lastOfTheirKind.isEmpty {
      for known in outgoing.values.flatMap(\.all) {
        order.insert(end(known.from, false), end(known.to, true)) { _, _, _ in true }
      }
    }
    let counted = lastOfTheirKind.filter { wait in
      // The waits that are kept represent those of the same classes, unless something else than the classes counts.
      let isRepresented =
        provesByClass(wait.from.classID, in: scope) && provesByClass(wait.to.classID, in: scope)
        && wait.guards.isEmpty && !wait.isSignal && wait.side != .run
      return !isRepresented && order.component(of: end(wait.from, false), end(wait.to, true)) != nil
    }
    let kinds = Set(counted.map { [$0.from.classID, $0.to.classID] }).count
    return [
      (kinds, "kinds of waits of which not all were kept"), (unfinished, "searches for cycles that did not end"),
      (uncertain.count, "possible cycles of waits beside more locks or signals than are kept"),
    ].filter { $0.0 > 0 }.map { "\($1): \($0)" }
  }

  /// The number of resources that were looked at to keep their order.
  package var stepsOfOrder: Int { orders.values.reduce(0) { $0 + $1.steps } }

  /// Records that a barrier was used on a concurrent queue of this class. From now on a shared holder can block others,
  /// so this may close a cycle, which is returned.
  package mutating func noteBarrier(
    _ classID: UInt32, scope: UInt64 = 0, scopes: Set<UInt64> = []
  ) -> DependencyCycle? {
    guard withBarriers.insert(classID, in: scope) else { return nil }
    forgetOrder(scope)
    return cycle(throughAny: outgoing[classID]?.all ?? [], scopes)
  }

  /// Records that the creation of a class's resources was not seen: only waits for the same instances connect.
  package mutating func noteUnrelated(_ classID: UInt32, scope: UInt64 = 0) {
    if unrelated.insert(classID, in: scope) { forgetOrder(scope) }
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
    for dependency in published {
      learnNesting(from: dependency)
      order(dependency)
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
    if !changed.isEmpty { regions = [:] }
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
    forgetOrder(scope)
  }

  /// Removes the dependencies of one resource: a semaphore that turned out not to be a lock.
  package mutating func forget(instance: UInt64) {
    forget { $0.from.instance == instance || $0.to.instance == instance }
  }

  private mutating func forget(_ isRemoved: (Dependency) -> Bool) {
    lastOfTheirKind.removeAll(where: isRemoved)
    for (key, dependencies) in outgoing {
      let removed = dependencies.all.filter(isRemoved)
      guard !removed.isEmpty else { continue }
      outgoing[key]?.removeAll(where: isRemoved)
      for dependency in removed where !dependency.isPrivate { forgetOrder(dependency.scope) }
    }
  }
}
