/// All holds of the threads of a path. A cycle is a deadlock only if each of its threads can hold its part at once.
struct Holds: Hashable {
  private let guards: Set<WaitGuard>
  /// The resources from which the waits start. Others of their classes in the path prove nothing.
  private let origins: Set<WaitGuard>
  /// Whether two of the threads held different resources of one class. If each store has a lock, all stores do the same
  /// work under their own locks. This matters where resources represent their classes.
  private(set) var sharesClass = false
  /// Whether two of the threads ran blocks of the main queue that do not declare that they must run there.
  private(set) var sharesMain = false
  /// The resources that were waited for by threads which held more than the recorder could note.
  private let askedWithMore: Set<UInt64>

  init(_ dependency: Dependency) {
    guards = dependency.guards
    origins = dependency.origin.map { [$0] } ?? []
    askedWithMore = dependency.hasLostGuards ? [dependency.to.instance] : []
  }

  private init(_ holds: Holds, and dependency: Dependency) {
    guards = holds.guards.union(dependency.guards)
    origins = holds.origins.union(dependency.origin.map { [$0] } ?? [])
    sharesClass = holds.sharesClass
    sharesMain = holds.sharesMain
    askedWithMore = holds.askedWithMore.union(dependency.hasLostGuards ? [dependency.to.instance] : [])
  }

  /// Adds the holds of another wait's thread. Returns nil if the two waits never happen at once.
  func and(_ dependency: Dependency) -> Holds? {
    guard canMeet(dependency) else { return nil }
    var together = Holds(self, and: dependency)
    for one in dependency.guards {
      for other in guards where other.classID == one.classID {
        switch WaitGuard.verdict(one.side, other.side) {
        case .apart where one.instance == other.instance: return nil
        case .apart: together.sharesClass = true
        case .apartOnMainOnly: together.sharesMain = true
        case .together: break
        }
      }
      guard together.note(one, among: origins) else { return nil }
    }
    if let origin = dependency.origin {
      guard together.note(origin, among: guards), together.note(origin, among: origins) else { return nil }
    }
    return together
  }

  /// Whether the waits can happen at once, whatever the threads held that the recorder could not note. A thread
  /// certainly did not hold what it waited for.
  private func canMeet(_ dependency: Dependency) -> Bool {
    func isFree(_ asked: Set<UInt64>, _ guards: Set<WaitGuard>, _ origins: Set<WaitGuard>) -> Bool {
      // An activity excludes only the waits of its own thread.
      let others = origins.filter { $0.side != .run }
      return asked.isEmpty || guards.allSatisfy { $0.side == .ran } && others.allSatisfy { asked == [$0.instance] }
    }
    guard !dependency.hasLostGuards || askedWithMore.isEmpty else { return false }
    return isFree(askedWithMore, dependency.guards, dependency.origin.map { [$0] } ?? [])
      && isFree(dependency.hasLostGuards ? [dependency.to.instance] : [], guards, origins)
  }

  /// Whether one thread can hold this while others hold those. Only equal instances matter.
  private mutating func note(_ one: WaitGuard, among others: Set<WaitGuard>) -> Bool {
    for other in others where other.instance == one.instance {
      switch WaitGuard.verdict(one.side, other.side) {
      case .apart: return false
      case .apartOnMainOnly: sharesMain = true
      case .together: break
      }
    }
    return true
  }
}
