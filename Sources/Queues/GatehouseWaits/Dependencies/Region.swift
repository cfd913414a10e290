/// The waits between resources that lead back to each other, and as much of their guards as can keep them apart.
struct Region: Sendable {
  /// One wait.
  struct Link: Sendable {
    let dependency: Dependency
    /// The guards that exclude another wait of the region.
    let guards: Set<WaitGuard>
    /// The resource that it starts from, if that guards another wait of the region.
    let guardingOrigin: WaitGuard?
    /// The instance of the resource that it starts from, if its thread holds it. Set where guards were lost.
    let exclusiveOrigin: UInt64?
    /// Whether it has a guard that may be among the unknown holds of another wait. Set where guards were lost.
    let isGuarded: Bool
    /// Waits with the same number leave the same choice of next waits.
    let end: Int
  }

  private struct End: Hashable {
    let to: WaitResource
    let givenAt: UInt64?
    let signal: Signal?
  }

  private struct Signal: Hashable {
    let reason: Dependency.Reason
    let from: WaitResource
    let isAnswer: Bool
  }

  /// The number of waits that have a guard, for each of its sides.
  private struct Counts {
    private var all: [UInt64: [WaitGuard.Side: Int]] = [:]

    mutating func add(_ key: UInt64, _ side: WaitGuard.Side) { all[key, default: [:]][side, default: 0] += 1 }

    /// Whether other waits are on a side that excludes this one.
    func excludes(_ key: UInt64, _ side: WaitGuard.Side, without own: Set<WaitGuard.Side> = []) -> Bool {
      all[key]?.contains { other, count in
        WaitGuard.verdict(side, other) != .together && count > (own.contains(other) ? 1 : 0)
      } ?? false
    }
  }

  private struct OfClass: Hashable {
    let classID: UInt32
    let side: WaitGuard.Side
  }

  private(set) var links: [Link] = []
  /// Classes of which one resource represents several others of the region.
  let classes: Set<UInt32>
  /// Whether the main queue keeps any of the waits apart.
  let hasMain: Bool
  private let hasLostGuards: Bool
  private var byClass: [UInt32: [Int]] = [:]
  private var byInstance: [UInt64: [Int]] = [:]
  private var ends: [End: Int] = [:]
  private var guardsOfClass = Counts(), guardsOfInstance = Counts(), origins = Counts()

  /// - Parameter proves: whether one resource of a class represents all of them.
  init(_ dependencies: [Dependency], proves: (UInt32) -> Bool) {
    var instances: [UInt32: Set<UInt64>] = [:]
    for resource in dependencies.flatMap({ [$0.from, $0.to] }) {
      instances[resource.classID, default: []].insert(resource.instance)
    }
    classes = Set(instances.filter { $0.value.count > 1 && proves($0.key) }.keys)
    hasMain = dependencies.contains { $0.side == .main || $0.guards.contains { $0.side == .main } }
    hasLostGuards = dependencies.contains(where: \.hasLostGuards)
    for dependency in dependencies {
      for one in Set(dependency.guards.map { OfClass(classID: $0.classID, side: $0.side) }) {
        guardsOfClass.add(UInt64(one.classID), one.side)
      }
      for one in dependency.guards { guardsOfInstance.add(one.instance, one.side) }
      if let origin = dependency.origin { origins.add(origin.instance, origin.side) }
    }
    for dependency in dependencies {
      let signal =
        dependency.isSignal
        ? Signal(reason: dependency.reason, from: dependency.from, isAnswer: dependency.isAnswer) : nil
      let end = End(to: dependency.to, givenAt: dependency.givenAt, signal: signal)
      let number = ends[end] ?? ends.count
      ends[end] = number
      let link = link(dependency, end: number)
      byClass[dependency.from.classID, default: []].append(links.count)
      byInstance[dependency.from.instance, default: []].append(links.count)
      links.append(link)
    }
  }

  /// The numbers of the waits that may follow one that leads to a resource.
  func links(from resource: WaitResource) -> [Int] {
    (classes.contains(resource.classID) ? byClass[resource.classID] : byInstance[resource.instance]) ?? []
  }

  /// A wait that is judged in this region.
  ///
  /// - Parameter end: its number among the ends, if the wait is counted as one of the region.
  func link(_ dependency: Dependency, end: Int? = nil) -> Link {
    let isMember = end != nil
    let guards = dependency.guards.filter { one in
      if origins.excludes(one.instance, one.side) { return true }
      let own = !isMember ? [] : Set(dependency.guards.filter { $0.classID == one.classID }.map(\.side))
      // Guards of one class matter where resources represent their classes.
      return classes.isEmpty
        ? guardsOfInstance.excludes(one.instance, one.side, without: isMember ? [one.side] : [])
        : guardsOfClass.excludes(UInt64(one.classID), one.side, without: own)
    }
    let origin = dependency.origin
    return Link(
      dependency: dependency, guards: guards,
      guardingOrigin: origin.flatMap { guardsOfInstance.excludes($0.instance, $0.side) ? $0 : nil },
      exclusiveOrigin: hasLostGuards && origin?.side != .run ? origin?.instance : nil,
      isGuarded: hasLostGuards && dependency.guards.contains { $0.side != .ran }, end: end ?? ends.count)
  }
}
