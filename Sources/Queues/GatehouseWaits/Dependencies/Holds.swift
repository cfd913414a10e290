/// The resources that the threads of a path hold, as far as they matter for the waits that may follow. A cycle is a
/// deadlock only if each of its threads can hold its part at once.
struct Holds: Hashable {
  /// The resources from which the waits start, as far as the unknown holds of a wait may be among them.
  private enum Origins: Hashable { case none, one(UInt64), several }

  private let guards: Set<WaitGuard>
  /// The resources from which the waits start and that guard other waits of the region.
  private let origins: Set<WaitGuard>
  /// Whether two of the threads held different resources of one class. If each store has a lock, all stores do the same
  /// work under their own locks. This matters where resources represent their classes.
  private(set) var sharesClass = false
  /// Whether two of the threads ran blocks of the main queue that do not declare that they must run there.
  private(set) var sharesMain = false
  /// Whether unknown holds may keep two of the waits apart.
  private(set) var isUncertain = false
  /// The resource that a thread waited for which held more than the recorder could note.
  private let askedWithMore: UInt64?
  /// Whether any of the waits has a guard that may be among unknown holds. Known only where there are such holds.
  private let isGuarded: Bool
  private let allOrigins: Origins

  init(_ link: Region.Link) {
    guards = link.guards
    origins = link.guardingOrigin.map { [$0] } ?? []
    askedWithMore = link.dependency.hasLostGuards ? link.dependency.to.instance : nil
    isGuarded = link.isGuarded
    allOrigins = Self.with(link, .none)
  }

  private init(_ holds: Holds, and link: Region.Link) {
    guards = link.guards.isEmpty ? holds.guards : holds.guards.union(link.guards)
    origins = link.guardingOrigin.map { holds.origins.union([$0]) } ?? holds.origins
    sharesClass = holds.sharesClass
    sharesMain = holds.sharesMain
    isUncertain = holds.isUncertain
    askedWithMore = link.dependency.hasLostGuards ? link.dependency.to.instance : holds.askedWithMore
    isGuarded = holds.isGuarded || link.isGuarded
    allOrigins = Self.with(link, holds.allOrigins)
  }

  private static func with(_ link: Region.Link, _ origins: Origins) -> Origins {
    // An activity excludes only the waits of its own thread.
    guard let origin = link.exclusiveOrigin else { return origins }
    return origins == .none || origins == .one(origin) ? .one(origin) : .several
  }

  /// Adds the holds of another wait's thread. Returns nil if the two waits never happen at once.
  func and(_ link: Region.Link) -> Holds? {
    var together = Holds(self, and: link)
    if !canMeet(link) { together.isUncertain = true }
    for one in link.guards {
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
    if let origin = link.guardingOrigin, !together.note(origin, among: guards) { return nil }
    return together
  }

  /// Adds that a wait starts from a resource from which an earlier one starts. Returns nil if the two never happen at
  /// once.
  func meeting(_ one: WaitGuard, _ other: WaitGuard) -> Holds? {
    var together = self
    return together.note(one, among: [other]) ? together : nil
  }

  /// Whether the waits can happen at once, whatever the threads held that the recorder could not note. A thread
  /// certainly did not hold what it waited for.
  private func canMeet(_ link: Region.Link) -> Bool {
    func isFree(_ asked: UInt64, isGuarded: Bool, _ origins: Origins) -> Bool {
      !isGuarded && (origins == .none || origins == .one(asked))
    }
    if let askedWithMore {
      guard !link.dependency.hasLostGuards,
        isFree(askedWithMore, isGuarded: link.isGuarded, Self.with(link, .none))
      else { return false }
    }
    return !link.dependency.hasLostGuards
      || isFree(link.dependency.to.instance, isGuarded: isGuarded, allOrigins)
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
