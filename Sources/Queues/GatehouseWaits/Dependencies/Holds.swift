/// All that the threads of a path hold. A cycle is a deadlock only if each of its threads can hold its part at once.
struct Holds: Hashable {
  private let guards: Set<WaitGuard>
  /// The resources that the waits come from. Of their classes others are in the path, which proves nothing.
  private let origins: Set<WaitGuard>
  /// Two of the threads held different resources of one class. If each store has a lock, then all stores do the same
  /// work under their own locks: this counts where resources stand for their classes.
  private(set) var sharesClass = false
  /// Two of the threads ran blocks of the main queue that do not say that they must.
  private(set) var sharesMain = false
  /// The resources for which threads waited that held more than the recorder could note.
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

  /// Together with what another wait's thread held; nil if the two waits never happen at once.
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

  /// Whether the waits can happen at once, whatever the threads held that the recorder could not note. A thread surely
  /// did not hold what it waited for.
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

  /// Whether one thread can hold this while others hold those: only the same resources matter.
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
