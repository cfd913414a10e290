extension WaitReport {
  /// The report of a cycle in the graph.
  ///
  /// - Parameters:
  ///   - isApartByMain: whether only blocks of the main queue keep these waits apart. The report is a note then.
  ///   - isDoubtful: whether one of the locks may be several, one after the other. The report is a note then.
  package init(cycle: DependencyCycle, _ names: WaitNames, isApartByMain: Bool = false, isDoubtful: Bool = false) {
    var kinds = CycleKinds()
    let classes = names.classes(of: cycle.dependencies.flatMap { [$0.from.classID, $0.to.classID] })
    func named(_ resource: WaitResource) -> ResourceClass {
      classes[resource.classID] ?? names.resourceClass(resource.classID)
    }
    let waits = cycle.dependencies.map { dependency in
      let from = named(dependency.from), to = named(dependency.to)
      let signal: ResourceClass? =
        if case .signal(let resource) = dependency.reason { named(resource) } else { nil }
      for resource in [from, to, signal].compactMap(\.self) { kinds.insert(resource) }
      return Wait(
        holding: from, heldAt: names.stack(dependency.heldAt), asking: to, askedAt: names.stack(dependency.waitedAt),
        thread: dependency.thread, signal: signal?.name)
    }
    let first = Self.firstWait(of: waits)
    func path(_ name: (Wait) -> String) -> String {
      (waits[first...] + waits[..<first] + [waits[first]]).map(name).joined(separator: " → ")
    }
    let (name, title) = (path(\.lastingHeld), path(\.held))
    if cycle.dependencies.first?.reason == .selfWait {
      self.init(
        .waitForItself, name: name, title: title,
        summary: "A thread waited for \(waits[0].held), which it already held. That wait can never end.",
        waits: waits, rule: kinds.ruleForSelfWait)
      return
    }
    let isOneClass = Set(cycle.dependencies.map(\.from.classID)).count == 1
    let timing =
      isApartByMain
      ? "Only the main queue kept them apart: without it they could happen at once, and then none of them would end."
      : "This run did not hang. If these waits happen at once, none of them ends."
    self.init(
      .potentialDeadlock, name: name, title: title,
      summary: (isOneClass
        ? "\(kinds.plural) of one class were each held while a thread waited for another of them."
        : "\(waits.count) observed waits form a cycle.") + " " + timing + (isDoubtful ? " " + Self.doubt : ""),
      waits: waits,
      rule: isApartByMain ? Self.mainRule : isOneClass ? kinds.ruleForOneClass : kinds.ruleForCycle,
      isNote: isApartByMain || isDoubtful)
  }

  private static let doubt = """
    No call initialized one of these spin locks, and nothing shows whether its address was another lock in between.
    """

  private static let mainRule = """
    Declare that this code belongs to the main queue: check it with dispatchPrecondition(condition: .onQueue(.main)), \
    also where it is marked @MainActor, which nothing shows at run time. With --main-is-no-guard this note is a finding.
    """

  /// The wait with which a name begins: the one whose name is first in byte order. For equal names, the following ones
  /// decide.
  static func firstWait(of waits: [Wait]) -> Int {
    let names = Rotation(ranks(waits.map(\.lastingHeld)))
    guard names.period < waits.count else { return names.start }
    // The names repeat themselves. The names with lines decide, period by period.
    let held = ranks(waits.map(\.held)), turned = Array(held[names.start...] + held[..<names.start])
    let parts = stride(from: 0, to: turned.count, by: names.period).map { Array(turned[$0..<$0 + names.period]) }
    let sorted = Set(parts).sorted { $0.lexicographicallyPrecedes($1) }
    let ranks = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, $0) })
    return (names.start + Rotation(parts.map { ranks[$0] ?? 0 }).start * names.period) % waits.count
  }

  /// The rank of each name in byte order.
  private static func ranks(_ names: [String]) -> [Int] {
    let sorted = Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let ranks = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, $0) })
    return names.map { ranks[$0] ?? 0 }
  }
}

/// The first of a ring's rotations in lexicographic order. A comparison of all of them would take seconds for a ring of
/// a thousand.
private struct Rotation {
  /// The index with which it begins.
  let start: Int
  /// The ring looks the same after so many steps.
  let period: Int

  init(_ ring: [Int]) {
    let count = ring.count
    var one = 0, other = 1, same = 0
    while one < count, other < count, same < count {
      let (left, right) = (ring[(one + same) % count], ring[(other + same) % count])
      guard left != right else {
        same += 1
        continue
      }
      if left > right { one += same + 1 } else { other += same + 1 }
      if one == other { other += 1 }
      same = 0
    }
    start = min(one, other)
    period = same < count ? count : max(one, other) - min(one, other)
  }
}

/// The kinds of resources in a cycle, and the rules that fit them.
private struct CycleKinds {
  private var kinds: Set<ResourceClass.Kind> = []
  private var nouns: Set<String> = []

  mutating func insert(_ resource: ResourceClass) {
    kinds.insert(resource.kind)
    nouns.insert(resource.noun)
  }

  private var noun: String { nouns.count == 1 ? nouns.first ?? "resource" : "resource" }
  /// The plural, such as `Locks` or `Queues`; `Resources` for more than one kind.
  var plural: String { noun.prefix(1).uppercased() + noun.dropFirst() + "s" }

  var ruleForSelfWait: String {
    let split = """
      Split the function: an outer function that waits, for other callers, and an inner one that does not wait, for \
      code that already holds it.
      """
    return switch kinds {
    case _ where nouns.contains(ResourceClass.initializer):
      "Do not use a lazy global in its own initializer: make the value first, and finish it afterwards."
    case [.lock]: "Do not take a lock in code that may already hold it. \(split)"
    case [.queue]: "Do not wait for a queue in code that may already run on it. \(split)"
    case [.taskQueue]: "Do not wait for a task queue in an operation that runs on it. \(split)"
    case let kinds where kinds.contains(.signal):
      "Do not wait for a signal in code that must give it: give it first, or continue in a completion handler."
    default: "Do not wait for a queue or a lock in code that may already hold it. \(split)"
    }
  }

  var ruleForOneClass: String {
    "Take \(plural.lowercased()) of one class in a fixed order (for example by identifier), or only one at a time."
  }

  var ruleForCycle: String {
    switch kinds {
    case _ where nouns.contains(ResourceClass.initializer):
      """
      Do not wait in the initializer of a lazy global, and do not let two of them use each other: make both values in \
      one initializer, or give the one to the other after both are made.
      """
    case [.lock]:
      """
      Take these locks in one order everywhere: decide which lock comes first. Where the order is the other one, \
      release the one lock before you take the other.
      """
    case let kinds where kinds.contains(.signal):
      """
      Do not wait for a signal (a semaphore, a group, the end of a thread) while you hold what its giver needs. \
      Release that first, or continue in a completion handler.
      """
    case [.queue], [.taskQueue], [.queue, .taskQueue]:
      """
      Wait in one direction only. Decide which queue comes first. In the other direction do not wait: submit the work \
      asynchronously.
      """
    default:
      """
      Do not wait for a queue while you hold a lock that its blocks take. Release the lock first, or submit the work \
      asynchronously.
      """
    }
  }
}
