import Dispatch
import GatehouseQueues
import GatehouseWaits
import Testing

/// Givers of a signal hold further locks around the one that each of them takes, such as the mutex of a condition.
struct GiversTests {
  @Test(arguments: [[false, true], [true, false], [true, false, true]])
  func `a lock that one giver did without is not needed for the signal`(hasLock: [Bool]) async throws {
    #expect(try await reports(hasLock).isEmpty)
  }

  @Test func `a lock that each giver had is needed for the signal`() async throws {
    #expect(try await reports([true, true]).map(\.name) == ["queue around → queue work → queue around"])
  }

  /// Gives a signal for each element, within a lock if it is true. Then a thread waits for the signal, and one takes
  /// the lock before the waiter's.
  private func reports(_ hasLock: [Bool]) async throws -> [WaitReport] {
    try await WaitMonitor.watching {
      let around = SerialQueue(label: "around"), within = SerialQueue(label: "within")
      let work = SerialQueue(label: "work"), signal = WatchedSemaphore(value: 0)
      for isAround in hasLock {
        if isAround { around.sync { within.sync { signal.signal() } } } else { within.sync { signal.signal() } }
      }
      await wait(for: signal, on: work)
      around.sync { work.sync {} }
    }
  }

  /// A waiter that has the giver's lock needs a signal that was given before, whatever others gave since.
  @Test(arguments: [0, 1, 8])
  func `a giver with the waiter's lock is remembered when another did without it`(others: Int) async throws {
    let reports = try await WaitMonitor.watching {
      let lock = SerialQueue(label: "lock"), within = SerialQueue(label: "within"), signal = WatchedSemaphore(value: 0)
      within.sync { lock.sync { signal.signal() } }
      within.sync { signal.signal() }
      for number in 0..<others {
        let other = SerialQueue(label: "other \(number)")
        other.sync { within.sync { signal.signal() } }
      }
      await wait(for: signal, on: lock)
    }
    #expect(reports.isEmpty)
  }

  private func wait(for signal: WatchedSemaphore, on queue: SerialQueue) async {
    await withCheckedContinuation { ended in
      DispatchQueue.global().async {
        queue.sync { signal.wait() }
        ended.resume()
      }
    }
  }
}
