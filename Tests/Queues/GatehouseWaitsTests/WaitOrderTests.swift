import GatehouseWaits
import Testing

/// Little of a large, correct program is searched, and nothing is missed by that.
struct WaitOrderTests {
  /// Pseudo-random numbers, the same in every run.
  private struct Numbers {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }

  private func lock(_ number: Int, classID: UInt32 = 1) -> WaitResource {
    WaitResource(instance: UInt64(number) + 1, classID: classID)
  }

  @Test(arguments: [(200, 4_000), (1_000, 4_000)])
  func `locks of one class that are taken in ascending order need no search`(locks: Int, transfers: Int) {
    var graph = Dependencies(), numbers = Numbers(state: 7)
    for _ in 0..<transfers {
      let one = numbers.next(below: locks), other = numbers.next(below: locks)
      guard one != other else { continue }
      let transfer = Dependency(from: lock(min(one, other)), to: lock(max(one, other)))
      #expect(graph.add(transfer) == nil)
    }
    #expect(graph.steps == 0 && graph.stepsOfOrder < 100 * transfers, "\(graph.stepsOfOrder)")
  }

  @Test func `a thread that takes twenty locks in order, under all those before, needs no search`() {
    var graph = Dependencies()
    for last in 0..<20 {
      for first in 0..<last {
        let guards = (0..<last).filter { $0 != first }.map { WaitGuard(instance: UInt64($0) + 1, classID: 1) }
        #expect(graph.add(Dependency(from: lock(first), to: lock(last), guards: Set(guards))) == nil)
      }
    }
    #expect(graph.steps == 0)
    #expect(graph.add(Dependency(from: lock(19), to: lock(0)))?.dependencies.count == 2)
  }

  /// Each future's thread waits for the end of the next one, under a lock, and each lock is taken by the thread before.
  @Test func `a chain of forty futures needs hardly any search`() {
    var graph = Dependencies()
    for number in 0..<40 {
      let thread = WaitResource(instance: 1_000 + UInt64(number), classID: 2, isShared: true)
      let next = WaitResource(instance: 1_001 + UInt64(number), classID: 2)
      let guards: Set<WaitGuard> = [WaitGuard(instance: thread.instance, classID: 2, side: .ran)]
      #expect(graph.add(Dependency(from: thread, to: lock(number), side: .run)) == nil)
      #expect(graph.add(Dependency(from: thread, to: next, guards: [WaitGuard(lock(number))], side: .run)) == nil)
      #expect(graph.add(Dependency(from: lock(number), to: next, guards: guards)) == nil)
    }
    // Until it turns out that locks are held while others of their class are waited for.
    #expect(graph.steps < 10)
  }

  /// A ring of locks, with two ways from each lock to the next one. Each way has a guard of its own, and the first wait
  /// is made under all guards. So no two paths hold the same, and none leads back.
  private var manyPaths: [Dependency] {
    func gate(_ step: Int, _ way: Int) -> WaitGuard { WaitGuard(instance: UInt64(100 + 2 * step + way), classID: 9) }
    let back = Dependency(
      from: lock(20), to: lock(0), guards: Set((1..<20).flatMap { step in [0, 1].map { gate(step, $0) } }))
    let ways = (1..<20).flatMap { step in
      [0, 1].map { Dependency(from: lock(step), to: lock(step + 1), guards: [gate(step, $0)]) }
    }
    return [back] + ways + [Dependency(from: lock(0), to: lock(1))]
  }

  @Test func `a search ends at its bound, and says so`() {
    var graph = Dependencies()
    for wait in manyPaths { #expect(graph.add(wait) == nil) }
    #expect(graph.unfinished == 1 && graph.steps < 60_000, "\(graph.unfinished), \(graph.steps)")
    let classes = [RecordedClass(.mutex, isUnrelated: true)]
    let analysis = RecordAnalysis(classes: classes, dependencies: manyPaths, waits: [], names: .plain)
    #expect(analysis.reports.isEmpty)
    let said = "searches for cycles that did not end: "
    #expect(analysis.omissions.contains { $0.hasPrefix(said) }, "\(analysis.omissions)")
  }

  @Test func `a search that the user ends stops soon, and says so`() {
    var graph = Dependencies(isEnded: { true })
    for wait in manyPaths { #expect(graph.add(wait) == nil) }
    #expect(graph.steps < 500 && graph.omissions() == ["searches for cycles that did not end: 1"])
  }

  /// The last wait of a kind stands for those that were left out.
  @Test func `waits that were left out are said where they could matter`() {
    func omissions(_ last: Dependency, _ others: Dependency...) -> [String] {
      var graph = Dependencies()
      for wait in [last] + others { _ = graph.add(wait) }
      return graph.omissions()
    }
    func last(
      _ from: WaitResource, _ to: WaitResource, _ guards: Set<WaitGuard> = [], side: WaitGuard.Side = .alone
    ) -> Dependency {
      Dependency(from: from, to: to, guards: guards, side: side, isLast: true)
    }
    let said = ["kinds of waits of which not all were kept: 1"]
    let one = lock(1, classID: 1), other = lock(2, classID: 2), gate = WaitGuard(instance: 9, classID: 3)
    let back = Dependency(from: other, to: one)
    #expect(omissions(last(one, other)) == [], "nothing leads back")
    #expect(omissions(last(one, other, [gate])) == [])
    #expect(omissions(last(one, other), back) == [], "those that are kept represent them")
    #expect(omissions(last(one, other, [gate]), back) == said)
    #expect(omissions(last(one, other, side: .run), back) == said)
    #expect(omissions(last(one, other), back, Dependency(from: one, to: lock(3, classID: 1))) == said)
    #expect(omissions(last(one, lock(3, classID: 1))) == said)
  }

  /// Whether any set of waits is a ring whose waits can all happen at once, by trying all of them.
  private func hasCycle(_ waits: [Dependency]) -> Bool {
    func canMeet(_ one: Dependency, _ other: Dependency) -> Bool {
      func all(_ wait: Dependency) -> [WaitGuard] { wait.guards + [WaitGuard(wait.from)] }
      return !all(one).contains { mine in
        all(other).contains { $0.instance == mine.instance && ($0.side == .alone || mine.side == .alone) }
      }
    }
    func leadsBack(_ path: [Dependency]) -> Bool {
      waits.contains { next in
        guard next.from == path.last?.to, path.allSatisfy({ canMeet($0, next) }) else { return false }
        return next.to == path.first?.from || leadsBack(path + [next])
      }
    }
    return waits.contains { leadsBack([$0]) }
  }

  @Test(arguments: 1...300) func `a cycle is found if and only if there is one`(seed: Int) {
    var numbers = Numbers(state: UInt64(seed) &* 7_919)
    var graph = Dependencies(), waits: [Dependency] = []
    for kind: UInt32 in 1...6 { graph.noteUnrelated(kind) }
    for _ in 0..<12 {
      let one = numbers.next(below: 6), other = numbers.next(below: 6)
      guard one != other else { continue }
      let guards = (0..<numbers.next(below: 3)).map { _ in
        let isShared = numbers.next(below: 3) == 0
        return WaitGuard(instance: UInt64(numbers.next(below: 9)) + 1, classID: 1, side: isShared ? .shared : .alone)
      }.filter { $0.instance != UInt64(one) + 1 && $0.instance != UInt64(other) + 1 }
      let wait = Dependency(
        from: lock(one, classID: UInt32(one) + 1), to: lock(other, classID: UInt32(other) + 1), guards: Set(guards))
      let had = hasCycle(waits)
      waits.append(wait)
      let found = graph.add(wait)
      if !had { #expect((found != nil) == hasCycle(waits), "\(waits.count)") }
    }
    // The same waits in the other direction make the same rings.
    #expect(hasCycle(waits) == hasCycle(waits.reversed()))
  }
}

extension WaitGuard {
  fileprivate init(_ resource: WaitResource) { self.init(instance: resource.instance, classID: resource.classID) }
}
