import GatehouseWaits
import Testing

/// Waits for signals alone form a cycle if each giver is behind another waiter.
struct AnswersInDependenciesTests {
  private static let signal = WaitResource(instance: 900, classID: 101)

  private func wait(
    _ from: UInt32, _ to: UInt32, isAnswer: Bool = true, guards: Set<WaitGuard> = []
  ) -> Dependency {
    Dependency(
      .signal(WaitResource(instance: UInt64(900 + from), classID: 101)), from: resource(from), to: resource(to),
      guards: guards, isAnswer: isAnswer)
  }

  private func isCycle(_ waits: [Dependency]) -> Bool {
    var graph = Dependencies(), turned = Dependencies()
    let found = waits.map { graph.add($0) }, last = (waits.dropFirst() + waits.prefix(1)).map { turned.add($0) }
    #expect(found.contains { $0 != nil } == last.contains { $0 != nil })
    let analysis = RecordAnalysis(classes: [], dependencies: waits, waits: [], names: .plain)
    #expect(found.contains { $0 != nil } == !analysis.reports.isEmpty)
    return found.contains { $0 != nil }
  }

  @Test func `answers form a cycle, in a ring of any length`() {
    #expect(isCycle([wait(1, 3), wait(3, 1)]))
    #expect(isCycle([wait(1, 3), wait(3, 5), wait(5, 1)]))
    #expect(!isCycle([wait(1, 3), wait(3, 5)]))
  }

  @Test func `with one signal that is no answer they form none, unless there is a real wait`() {
    #expect(!isCycle([wait(1, 3), wait(3, 1, isAnswer: false)]))
    #expect(!isCycle([wait(1, 3), wait(3, 5), wait(5, 1, isAnswer: false)]))
    #expect(isCycle([wait(1, 3), wait(3, 5, isAnswer: false), Dependency(from: resource(5), to: resource(1))]))
  }

  @Test func `an answer that was seen before as a plain signal still counts`() {
    #expect(isCycle([wait(1, 3, isAnswer: false), wait(1, 3), wait(3, 1, isAnswer: false), wait(3, 1)]))
  }

  @Test func `answers under one lock form none`() {
    let lock: Set = [WaitGuard(instance: 2, classID: 2)]
    #expect(!isCycle([wait(1, 3, guards: lock), wait(3, 1, guards: lock)]))
  }

  @Test func `answers of other queues of the same classes form none`() {
    let other = Dependency(
      .signal(Self.signal), from: WaitResource(instance: 33, classID: 3), to: WaitResource(instance: 11, classID: 1),
      isAnswer: true)
    #expect(!isCycle([wait(1, 3), other]))
  }
}
