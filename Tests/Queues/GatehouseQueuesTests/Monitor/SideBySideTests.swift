import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseWaits
import HangGuard
import Testing

/// One test's activity does not appear in another test's reports, even if both run at once and use the same queues.
///
/// The other test locks two queues in one order, and the test under observation locks them in the other order: together
/// they form a cycle.
struct SideBySideTests {
  /// Two queues that were created outside of any watched test. Each test has its own: both orders at once would
  /// deadlock.
  private let first = SerialQueue(label: "first of all"), second = SerialQueue(label: "second of all")

  /// Starts a test in which a value is created; the test ends when `end` is called.
  private func otherTest<Made: Sendable>(
    _ make: @escaping @Sendable () async throws -> Made
  ) async -> (made: Made?, end: @Sendable () async -> Void) {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let made = Lock<Made?>(nil)
    let test = Lock<Task<Void, Never>?>(nil)
    await withCheckedContinuation { begun in
      let task = Task.detached {
        _ = try? await WaitMonitor.watching {
          let new = try? await make()
          made.withLock { $0 = new }
          begun.resume()
          for await _ in ended { break }
        }
      }
      test.withLock { $0 = task }
    }
    return (
      made.withLock { $0 },
      {
        end.finish()
        await test.withLock { $0 }?.value
      }
    )
  }

  /// The reports of a test that locks the queues in one order, while `meanwhile` runs.
  private func reports(meanwhile: @escaping () async throws -> Void) async throws -> [WaitReport] {
    try await WaitMonitor.watching {
      try await meanwhile()
      second.sync { first.sync {} }
    }
  }

  @Test func `a task of a test that has ended`() async throws {
    let (go, goes) = AsyncStream.makeStream(of: Void.self)
    let other = await otherTest {
      Task {
        for await _ in go { break }
        first.sync { second.sync {} }
      }
    }
    await other.end()
    let found = try await reports {
      goes.finish()
      await other.made?.value
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a block of a test that has ended`() async throws {
    let queue = SerialQueue(label: "of the other test")
    let isHeld = DispatchSemaphore(value: 0)  // Dispatch's own: it only signals when to continue
    let (done, ends) = AsyncStream.makeStream(of: Void.self)
    let other = await otherTest {
      queue.async {
        isHeld.wait()
        first.sync { second.sync {} }
        ends.finish()
      }
    }
    await other.end()
    let found = try await reports {
      isHeld.signal()
      for await _ in done { break }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a block of a test that has ended, and that begins while no test runs`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let queue = SerialQueue(label: "of the other test"), tasks = SerialTaskQueue(label: "of the other test")
      let callbacks = CallbackQueue(DispatchQueue(label: "test.app")), share = PoolShare(width: 1)
      let submits: [@Sendable (@escaping @Sendable () -> Void) -> Void] = [
        { queue.async($0) }, { tasks.async($0) }, { callbacks.deliver($0) },
        { block in _ = Background.start(on: share) { block() } },
      ]
      for submit in submits {
        let tests = SideBySideTests()
        // Dispatch's own: they only signal when to continue.
        let isFree = DispatchSemaphore(value: 0), isHeld = DispatchSemaphore(value: 0)
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let (done, ends) = AsyncStream.makeStream(of: Void.self)
        submit { isFree.wait() }
        let other = await tests.otherTest {
          submit {
            begins.finish()
            isHeld.wait()
            tests.first.sync { tests.second.sync {} }
            ends.finish()
          }
        }
        await other.end()
        isFree.signal()
        for await _ in begun { break }
        let found = try await tests.reports {
          isHeld.signal()
          for await _ in done { break }
        }
        #expect(found.isEmpty, "\(found)")
      }
    }
  }

  @Test func `a block that runs on main for another test`() async throws {
    let other = await otherTest {
      await withCheckedContinuation { done in
        SerialQueue(label: "of the other test").async {
          SerialQueue.main.sync { first.sync { second.sync {} } }
          done.resume()
        }
      }
    }
    let found = try await reports {}
    await other.end()
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `background work of another test`() async throws {
    let other = await otherTest {
      let background = BackgroundQueue(label: "of the other test", width: 1)
      try await background.run { () throws(AuthError) in first.sync { second.sync {} } }
    }
    let found = try await reports {}
    await other.end()
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a backend's call of another test`() async throws {
    let other = await otherTest {
      let result = await WorkQueue.result { () throws(AuthError) in
        try await Background.run { () throws(AuthError) in first.sync { second.sync {} } }
      }
      try result.get()
    }
    let found = try await reports {}
    await other.end()
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a backend's call that another test makes after a wait`() async throws {
    let other = await otherTest {
      let result = await WorkQueue.result { () throws(AuthError) in
        try await Background.run { () throws(AuthError) in }
        try await Background.run { () throws(AuthError) in first.sync { second.sync {} } }
      }
      try result.get()
    }
    let found = try await reports {}
    await other.end()
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a block that a group of another test starts`() async throws {
    let other = await otherTest {
      await withCheckedContinuation { done in
        Group().notify(on: SerialQueue(label: "of the other test")) {
          first.sync { second.sync {} }
          done.resume()
        }
      }
    }
    let found = try await reports {}
    await other.end()
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a wait that blocks a thread for a test that has ended is not reported`() async {
    let signal = WatchedSemaphore(value: 0), line: UInt = #line
    signal.signal()
    let (go, goes) = AsyncStream.makeStream(of: Void.self)
    let other = await otherTest {
      Task {
        for await _ in go { break }
        let wait: () -> Void = { signal.wait() }
        wait()
      }
    }
    await other.end()
    goes.finish()
    await other.made?.value
    #expect(!WaitMonitor.reports.contains { $0.name.hasSuffix("SideBySideTests.swift:\(line)") })
  }

  @Test func `a callback of another test that this one has woken`() async throws {
    let (go, goes) = AsyncStream.makeStream(of: Void.self)
    let (done, ends) = AsyncStream.makeStream(of: Void.self)
    let other = await otherTest {
      let closure: @Sendable () -> Void = { first.sync { second.sync {} } }
      let callback = Callback(closure, isolatedTo: nil, on: CallbackQueue(DispatchQueue(label: "test.app")))
      callback.end { _, closure in
        for await _ in go { break }
        closure()
        ends.finish()
      }
    }
    let found = try await reports {
      goes.finish()
      for await _ in done { break }
    }
    await other.end()
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a barrier of another test`() async throws {
    let caches = (0..<2).map { _ in ConcurrentQueue(label: "cache") }, queue = SerialQueue(label: "reader")
    let found = try await WaitMonitor.watching {
      queue.sync { caches[0].sync {} }
      caches[0].sync { queue.sync {} }
      let other = await otherTest { caches[1].syncBarrier {} }
      await other.end()
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `nesting in another test does not hide what this one does`() async throws {
    func queues() -> [SerialQueue] { (0..<2).map { _ in SerialQueue(label: "node") } }
    let other = await otherTest { [nodes = queues()] in nodes[0].sync { nodes[1].sync {} } }
    let found = try await WaitMonitor.watching {
      let nodes = queues(), leaves = (0..<2).map { _ in SerialQueue(label: "leaf") }
      nodes[0].sync { leaves[0].sync {} }
      leaves[1].sync { nodes[1].sync {} }
    }
    await other.end()
    #expect(found.map(\.name) == ["queue leaf → queue node → queue leaf"])
  }

  @Test func `a wait for a signal in a test before`() async throws {
    let signal = WatchedSemaphore(value: 0), work = SerialQueue(label: "work"),
      callbacks = SerialQueue(label: "callbacks")
    @Sendable func give() async {
      await withCheckedContinuation { done in
        callbacks.async {
          signal.signal()
          done.resume()
        }
      }
    }
    let before = try await WaitMonitor.watching {
      await give()
      await withCheckedContinuation { done in
        work.async {
          signal.wait()
          done.resume()
        }
      }
    }
    #expect(before.isEmpty, "\(before)")
    let found = try await WaitMonitor.watching {
      await give()
      callbacks.sync { work.sync {} }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a signal that other tests have used is followed anew in each`() async throws {
    let signal = WatchedSemaphore(value: 0), callbacks = SerialQueue(label: "callbacks")
    @Sendable func on(_ queue: SerialQueue, _ body: @escaping @Sendable () -> Void) async {
      await withCheckedContinuation { done in
        queue.async {
          body()
          done.resume()
        }
      }
    }
    // In the previous test, the signal was given on the queue on which this one waits for it.
    let work = (0..<6).map { _ in SerialQueue(label: "work") }
    for number in 1..<6 {
      _ = try await WaitMonitor.watching {
        await on(work[number]) { signal.signal() }
        await on(callbacks) { signal.wait() }
      }
      let found = try await WaitMonitor.watching {
        await on(callbacks) { signal.signal() }
        await on(work[number]) { signal.wait() }
        callbacks.sync { work[number].sync {} }
      }
      #expect(found.map(\.name) == ["queue callbacks → queue work → queue callbacks"], "\(number)")
    }
  }

  @Test func `who gives a signal is declared for all tests`() async throws {
    let callbacks = SerialQueue(label: "callbacks"), work = SerialQueue(label: "work")
    let other = await otherTest { WatchedSemaphore(value: 0, signaledBy: callbacks) }
    await other.end()
    let signal = try #require(other.made)
    signal.signal()
    let found = try await WaitMonitor.watching {
      await withCheckedContinuation { done in
        work.async {
          signal.wait()
          done.resume()
        }
      }
      callbacks.sync { work.sync {} }
    }
    #expect(found.map(\.name) == ["queue callbacks → queue work → queue callbacks"])
  }

  @Test func `a lock that was taken in a test and given back after it`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let queue = SerialQueue(label: "queue"), mutex = WatchedSemaphore(value: 1)
      // Holds are recorded for each thread, and main is one thread.
      let main = DispatchQueue(label: "test.main", target: .main)
      @Sendable func onMain(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
          main.async {
            body()
            done.resume()
          }
        }
      }
      _ = try await WaitMonitor.watching { await onMain { mutex.wait() } }
      await onMain { mutex.signal() }
      _ = try await WaitMonitor.watching {
        await onMain { queue.sync {} }
        await onMain {
          queue.sync {
            mutex.wait()
            mutex.signal()
          }
        }
        let found = WaitMonitor.reports
        #expect(found.isEmpty, "\(found)")
      }
    }
  }
}
