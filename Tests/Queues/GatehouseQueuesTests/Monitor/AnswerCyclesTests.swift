import GatehouseQueues
import GatehouseWaits
import Testing

/// Queues that wait for asynchronous answers of each other, under the monitor.
struct AnswerCyclesTests {
  private typealias Wait = @Sendable (_ own: SerialQueue, _ other: SerialQueue) -> Void

  /// The cycles in the reports after the first queue waited for the second one, and the second one for the first.
  private func reports(_ there: @escaping Wait, _ back: Wait? = nil) async throws -> [String] {
    try await WaitMonitor.watching {
      let first = SerialQueue(label: "first"), second = SerialQueue(label: "second")
      there(first, second)
      (back ?? there)(second, first)
    }.filter { $0.kind == .potentialDeadlock }.map(\.name)
  }

  private static let ring = ["queue first → queue second → queue first"]

  private static let ask: Wait = { own, other in
    own.sync {
      let answered = WatchedSemaphore(value: 0)
      other.async { answered.signal() }
      answered.wait()
    }
  }

  @Test func `answers in both directions are reported, also under a lock`() async throws {
    #expect(try await reports(Self.ask) == Self.ring)
    let underLock: Wait = { own, other in
      let lock = Lock(0)
      own.sync {
        let answered = WatchedSemaphore(value: 0)
        lock.withLock { _ in other.async { answered.signal() } }
        answered.wait()
      }
    }
    #expect(try await reports(underLock) == Self.ring)
  }

  @Test func `an answer on a declared queue counts`() async throws {
    let declared: Wait = { own, other in
      own.sync {
        let answered = WatchedSemaphore(value: 0, signaledBy: other)
        other.async { answered.signal() }
        answered.wait()
      }
    }
    #expect(try await reports(declared) == Self.ring)
  }

  @Test func `a group's block counts, and a block on a queue that targets the other one`() async throws {
    let group: Wait = { own, other in
      own.sync {
        let group = Group()
        other.async(group: group) {}
        group.wait()
      }
    }
    #expect(try await reports(group) == Self.ring)
    let targeting: Wait = { own, other in
      own.sync {
        let answered = WatchedSemaphore(value: 0), queue = SerialQueue(label: "above", target: other)
        queue.async { answered.signal() }
        answered.wait()
      }
    }
    #expect(try await reports(targeting) == Self.ring)
  }

  @Test func `a block that was submitted before the hold, or after another one, proves nothing`() async throws {
    let before: Wait = { own, other in
      let answered = WatchedSemaphore(value: 0)
      other.async { answered.signal() }
      own.sync { answered.wait() }
    }
    #expect(try await reports(before) == [])
    #expect(try await reports(Self.ask, before) == [])
    let earlier: Wait = { own, other in
      let answered = WatchedSemaphore(value: 0)
      own.sync { other.async { answered.signal() } }
      own.sync { answered.wait() }
    }
    #expect(try await reports(earlier) == [])
  }

  /// The second queue's block asks after it has answered. The first queue waits no more by then.
  @Test func `what asks back after its answer proves nothing`() async throws {
    let askBack: Wait = { own, other in
      let hasEnded = WatchedSemaphore(value: 0)
      own.sync {
        let answered = WatchedSemaphore(value: 0)
        other.async {
          let back = WatchedSemaphore(value: 0)
          answered.signal()
          own.async { back.signal() }
          back.wait()
          hasEnded.signal()
        }
        answered.wait()
      }
      hasEnded.wait()
    }
    #expect(try await reports(askBack) { _, _ in } == [])
  }

  @Test func `a semaphore that is given several times proves nothing`() async throws {
    let twice: Wait = { own, other in
      own.sync {
        let answered = WatchedSemaphore(value: 0)
        other.async {
          answered.signal()
          answered.signal()
        }
        answered.wait()
        answered.wait()
      }
    }
    #expect(try await reports(twice, { _, _ in }) == [])
  }
}
