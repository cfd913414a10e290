import Foundation
import GatehouseBase
import GatehouseQueues
import GatehouseWaits
import Testing

/// The monitor with real queues: each test has its own graph.
struct WaitMonitorTests {
  private func watched(_ body: @escaping () async throws -> Void) async throws -> [WaitReport] {
    try await WaitMonitor.watching(body)
  }

  @Test func `two queues that wait for each other in turns are reported, with both stacks and their sites`()
    async throws
  {
    let line: UInt = #line + 2
    let reports = try await watched {
      let first = SerialQueue(label: "first"), second = SerialQueue(label: "second")
      first.sync { second.sync {} }
      second.sync { first.sync {} }
    }
    let report = try #require(reports.first)
    #expect(reports.count == 1)
    #expect(report.kind == .potentialDeadlock)
    #expect(report.name == "queue first → queue second → queue first")
    #expect(Set(report.waits.map(\.heldSite)) == ["GatehouseQueuesTests/WaitMonitorTests.swift:\(line)"])
    #expect(report.waits.map(\.held) == ["queue second", "queue first"])
    for wait in report.waits {
      for frames in [wait.heldAt, wait.askedAt] {
        #expect(frames.contains { $0.file?.hasSuffix("WaitMonitorTests.swift") == true && $0.line != nil }, "\(frames)")
      }
    }
    let text = report.description
    #expect(text.contains("WaitMonitorTests.swift:\(line + 1)") && text.contains("What to do:"), "\(text)")
  }

  @Test func `one order is silent`() async throws {
    let reports = try await watched {
      let first = SerialQueue(label: "first"), second = SerialQueue(label: "second"), lock = Lock(0)
      for _ in 0..<3 { first.sync { second.sync { lock.withLock { $0 += 1 } } } }
      second.sync { lock.withLock { $0 += 1 } }
      first.sync { lock.withLock { $0 += 1 } }
    }
    #expect(reports.isEmpty)
  }

  @Test func `what only blocks of the main queue wait for is no report, until other code does`() async throws {
    @Sendable func onMain(_ body: @escaping @Sendable () -> Void) async {
      await withCheckedContinuation { continuation in
        SerialQueue.main.async {
          body()
          continuation.resume()
        }
      }
    }
    for isElsewhere in [false, true] {
      let reports = try await watched {
        let first = Lock(0), second = Lock(0)
        await onMain { first.withLock { _ in second.withLock { _ in } } }
        await onMain { second.withLock { _ in first.withLock { _ in } } }
        if isElsewhere { second.withLock { _ in first.withLock { _ in } } }
      }
      #expect(reports.count == (isElsewhere ? 1 : 0), "\(reports)")
    }
  }

  @Test func `code that says that it belongs to the main queue is not even a note`() async throws {
    for isDeclared in [false, true] {
      let notes = Lock([WaitReport]())
      let reports = try await watched {
        let first = Lock(0), second = Lock(0)
        @Sendable func inTurn(_ one: Lock<Int>, _ other: Lock<Int>) async {
          await withCheckedContinuation { continuation in
            SerialQueue.main.async {
              if isDeclared { SerialQueue.main.preconditionOnQueue() }
              one.withLock { _ in other.withLock { _ in } }
              continuation.resume()
            }
          }
        }
        await inTurn(first, second)
        await inTurn(second, first)
        notes.withLock { $0 = WaitMonitor.notes }
      }
      #expect(reports.isEmpty)
      #expect(notes.withLock { $0 }.count == (isDeclared ? 0 : 1))
    }
  }

  @Test func `what is made under a lock is private while the lock is held, unless another thread uses it`()
    async throws
  {
    for isUsed in [false, true] {
      let reports = try await watched {
        let pool = Lock(0)
        let connection = pool.withLock { _ in
          let connection = SerialQueue(label: "connection")
          if isUsed {
            let isDone = DispatchSemaphore(value: 0)
            connection.async { isDone.signal() }
            isDone.wait()
          }
          connection.sync {}
          return connection
        }
        connection.sync { pool.withLock { _ in } }
      }
      #expect(reports.count == (isUsed ? 1 : 0), "\(reports)")
    }
  }

  @Test func `more holds than fit are released in any order, and none stays behind`() async throws {
    let reports = try await watched {
      let queues = (0..<40).map { SerialQueue(label: "queue \($0)") }, last = SerialQueue(label: "last")
      func nest(_ depth: Int) {
        if depth == queues.count { return last.sync {} }
        queues[depth].sync { nest(depth + 1) }
      }
      nest(0)
      for queue in queues { queue.sync {} }
      last.sync { queues[39].sync {} }
    }
    #expect(reports.map(\.name) == ["queue last → queue queue 39 → queue last"])
  }

  /// Released in the order in which they were acquired: the first ones are released while the last ones are held. More
  /// than 32 holds need a block of their own; more than 1,024 are only counted.
  @Test(arguments: [33, 1030])
  func `locks that are released in the order of their taking leave no hold behind`(count: Int) async throws {
    let reports = try await watched {
      let rows = (0..<count).map { _ in WatchedSemaphore(value: 1) }, journal = Lock(0)
      for row in rows { row.wait() }
      for row in rows { row.signal() }
      journal.withLock { _ in
        for row in [rows[0], rows[count - 1]] {
          row.wait()
          row.signal()
        }
      }
      for row in [rows[0], rows[count - 1]] {
        row.wait()
        row.signal()
        journal.withLock { _ in }
      }
    }
    #expect(reports.filter { $0.kind != .blockedPoolThread }.isEmpty, "\(reports)")
  }

  @Test func `what was held beside more than fits may keep waits apart`() async throws {
    for isGuarded in [false, true] {
      let reports = try await watched {
        let queues = (0..<20).map { SerialQueue(label: "queue \($0)") }
        let first = SerialQueue(label: "first"), second = SerialQueue(label: "second")
        func nest(_ depth: Int) {
          if depth == queues.count { return first.sync { second.sync {} } }
          queues[depth].sync { nest(depth + 1) }
        }
        nest(0)
        if isGuarded { queues[19].sync { second.sync { first.sync {} } } } else { second.sync { first.sync {} } }
      }
      #expect(reports.count == (isGuarded ? 0 : 1), "\(reports)")
    }
  }

  /// A pool that rejects new users, waits until all users have left, and then waits for the resources that they used.
  @Test(arguments: ["the user", "another block", "a thread"])
  func `a pool that closes is silent if each user leaves it where it used it`(leaves: String) async throws {
    let reports = try await watched {
      let gate = ConcurrentQueue(label: "gate"), users = Group()
      let reader = SerialQueue(label: "reader"), other = SerialQueue(label: "other"), content = Lock(0)
      let isUsed = DispatchSemaphore(value: 0)
      gate.sync { users.enter() }
      reader.async {
        content.withLock { $0 += 1 }
        if leaves == "the user" { users.leave() }
        isUsed.signal()
      }
      isUsed.wait()
      if leaves == "another block" {
        other.async {
          users.leave()
          isUsed.signal()
        }
        isUsed.wait()
      }
      if leaves == "a thread" { Thread { users.leave() }.start() }
      gate.syncBarrier {
        users.wait()
        content.withLock { _ in reader.sync {} }
      }
    }
    let cycles = reports.filter { $0.kind == .potentialDeadlock }
    #expect(cycles.count == (leaves == "the user" ? 0 : 1), "\(cycles)")
  }

  @Test(arguments: [true, false])
  func `a pool that closes before its first user is silent if its users pass the gate`(isGated: Bool) async throws {
    let reports = try await watched {
      let gate = ConcurrentQueue(label: "gate"), users = Group()
      let reader = SerialQueue(label: "reader"), content = Lock(0)
      gate.syncBarrier {
        users.wait()
        content.withLock { _ in reader.sync {} }
      }
      if isGated { gate.sync { users.enter() } } else { users.enter() }
      reader.sync { content.withLock { $0 += 1 } }
      users.leave()
    }
    #expect(reports.filter { $0.kind == .potentialDeadlock }.count == (isGated ? 0 : 1), "\(reports)")
  }

  @Test func `a leave belongs to the latest entry of its thread`() async throws {
    for isEnteredAgain in [false, true] {
      let reports = try await watched {
        let gate = ConcurrentQueue(label: "gate"), users = Group()
        let reader = SerialQueue(label: "reader"), content = Lock(0)
        gate.sync { users.enter() }
        reader.sync { content.withLock { $0 += 1 } }
        if isEnteredAgain { gate.sync { users.enter() } }
        users.leave()
        if isEnteredAgain { Thread { users.leave() }.start() }
        gate.syncBarrier {
          users.wait()
          content.withLock { _ in reader.sync {} }
        }
      }
      #expect(reports.filter { $0.kind == .potentialDeadlock }.count == (isEnteredAgain ? 1 : 0), "\(reports)")
    }
  }

  @Test func `a block that was submitted as a member is one until it ends`() async throws {
    for isMember in [false, true] {
      let reports = try await watched {
        let gate = ConcurrentQueue(label: "gate"), users = Group()
        let reader = SerialQueue(label: "reader"), content = Lock(0)
        let isUsed = DispatchSemaphore(value: 0)
        let use: @Sendable () -> Void = {
          content.withLock { $0 += 1 }
          isUsed.signal()
        }
        gate.sync { if isMember { reader.async(group: users, use) } else { reader.async(use) } }
        isUsed.wait()
        gate.syncBarrier {
          users.wait()
          content.withLock { _ in reader.sync {} }
        }
      }
      #expect(reports.filter { $0.kind == .potentialDeadlock }.count == (isMember ? 0 : 1), "\(reports)")
    }
  }

  @Test func `a group that its waiter enters again is used in phases, and no guard`() async throws {
    let reports = try await watched {
      let gate = ConcurrentQueue(label: "gate"), users = Group()
      let reader = SerialQueue(label: "reader"), content = Lock(0)
      gate.sync { reader.async(group: users) { content.withLock { $0 += 1 } } }
      gate.syncBarrier {
        users.wait()
        content.withLock { _ in reader.sync {} }
        users.enter()
        users.leave()
      }
    }
    #expect(reports.filter { $0.kind == .potentialDeadlock }.count == 1, "\(reports)")
  }

  @Test func `a lock and a queue`() async throws {
    let reports = try await watched {
      let queue = SerialQueue(label: "accounts"), lock = Lock(0)
      queue.sync { lock.withLock { $0 += 1 } }
      lock.withLock { _ in queue.sync {} }
    }
    #expect(reports.map(\.kind) == [.potentialDeadlock])
    #expect(reports.first?.name.contains("lock in GatehouseQueuesTests/WaitMonitorTests.swift →") == true)
  }

  @Test func `blocks that were submitted asynchronously hold their queue, and belong to the test`() async throws {
    let reports = try await watched {
      let first = SerialQueue(label: "first"), second = SerialQueue(label: "second"), group = Group()
      first.async(group: group) { second.sync {} }
      await withCheckedContinuation { done in group.notify(on: SerialQueue(label: "done")) { done.resume() } }
      second.async(group: group) { first.sync {} }
      await withCheckedContinuation { done in group.notify(on: SerialQueue(label: "done")) { done.resume() } }
    }
    #expect(reports.map(\.name) == ["queue first → queue second → queue first"])
  }

  @Test func `a queue that waits for itself is reported, and the block runs in place`() async throws {
    let reports = try await watched {
      let queue = SerialQueue(label: "self")
      let answer = queue.sync { queue.sync { 42 } }
      #expect(answer == 42)
    }
    let report = try #require(reports.first)
    #expect(report.kind == .waitForItself && reports.count == 1)
    #expect(report.waits.first?.heldAt.isEmpty == false && report.waits.first?.askedAt.isEmpty == false)
  }

  @Test func `a queue and its target are held together`() async throws {
    let reports = try await watched {
      let bottom = SerialQueue(label: "bottom")
      let one = SerialQueue(label: "one", target: bottom), other = SerialQueue(label: "other", target: bottom)
      one.sync { other.sync {} }
    }
    #expect(reports.map(\.kind) == [.waitForItself])
    #expect(reports.first?.name.contains("queue bottom") == true)
  }

  @Test func `an order through a target is seen`() async throws {
    let reports = try await watched {
      let bottom = SerialQueue(label: "bottom"), top = SerialQueue(label: "top", target: bottom)
      let other = SerialQueue(label: "other")
      top.sync { other.sync {} }
      other.sync { bottom.sync {} }
    }
    #expect(reports.map(\.name) == ["queue bottom → queue other → queue bottom"])
  }

  @Test func `a tree of queues with one label, walked downwards, is silent`() async throws {
    let reports = try await watched {
      let tree = (0..<4).map { _ in SerialQueue(label: "node") }
      tree[0].sync { tree[1].sync { tree[2].sync { tree[3].sync {} } } }
      tree[1].sync { tree[3].sync {} }
    }
    #expect(reports.isEmpty)
  }

  @Test func `and upwards as well it is not`() async throws {
    let reports = try await watched {
      let tree = (0..<2).map { _ in SerialQueue(label: "node") }
      tree[0].sync { tree[1].sync {} }
      tree[1].sync { tree[0].sync {} }
    }
    #expect(reports.map(\.name) == ["queue node → queue node → queue node"])
  }

  @Test func `readers of a concurrent queue are silent until a barrier comes`() async throws {
    let silent = try await watched {
      let cache = ConcurrentQueue(label: "cache"), queue = SerialQueue(label: "queue")
      queue.sync { cache.sync {} }
      cache.sync { queue.sync {} }
    }
    #expect(silent.isEmpty)
    let reports = try await watched {
      let cache = ConcurrentQueue(label: "cache with barriers"), queue = SerialQueue(label: "queue")
      queue.sync { cache.sync {} }
      cache.sync { queue.sync {} }
      cache.syncBarrier {}
    }
    #expect(reports.map(\.name) == ["queue cache with barriers → queue queue → queue cache with barriers"])
  }

  @Test func `a semaphore leads to the queue on which it was given`() async throws {
    let reports = try await watched {
      let work = SerialQueue(label: "work"), callbacks = SerialQueue(label: "callbacks")
      let done = WatchedSemaphore(value: 0)
      callbacks.async { done.signal() }
      await withCheckedContinuation { ended in
        DispatchQueue.global().async {
          work.sync { done.wait() }
          ended.resume()
        }
      }
      callbacks.sync { work.sync {} }
    }
    #expect(reports.map(\.name) == ["queue callbacks → queue work → queue callbacks"])
    #expect(reports.first?.waits.contains { $0.signal != nil } == true)
  }

  @Test func `a declared giver counts before anything was given`() async throws {
    let reports = try await watched {
      let work = SerialQueue(label: "work"), callbacks = SerialQueue(label: "callbacks")
      let done = WatchedSemaphore(value: 0, signaledBy: callbacks)
      callbacks.sync { work.sync {} }
      done.signal()
      await withCheckedContinuation { ended in
        DispatchQueue.global().async {
          work.sync { done.wait() }; ended.resume()
        }
      }
    }
    #expect(reports.map(\.name) == ["queue callbacks → queue work → queue callbacks"])
  }

  @Test func `a queue that waits for a signal of its own is reported at the call`() async throws {
    let reports = try await watched {
      let queue = SerialQueue(label: "own signal")
      let done = WatchedSemaphore(value: 0, signaledBy: queue)
      queue.sync {
        done.signal()
        done.wait()  // already signaled: no wait
      }
      await withCheckedContinuation { ended in
        queue.async {
          done.wait()
          ended.resume()
        }
        // Another thread signals it eventually, so that the test ends, but only after the report. The report is not
        // announced, so the test polls for it. The duration does not matter.
        DispatchQueue.global().async {
          while !WaitMonitor.reports.contains(where: { $0.name.contains("own signal") }) { usleep(500) }
          done.signal()
        }
      }
    }
    #expect(reports.map(\.kind) == [.waitForItself] && reports.first?.name == "queue own signal → queue own signal")
  }

  @Test func `a semaphore as a lock is one`() async throws {
    let reports = try await watched {
      let mutex = WatchedSemaphore(value: 1), queue = SerialQueue(label: "queue")
      @Sendable func locked(_ body: () -> Void) {
        mutex.wait()
        body()
        mutex.signal()
      }
      await withCheckedContinuation { ended in
        DispatchQueue.global().async {
          queue.sync { locked {} }
          locked { queue.sync {} }
          ended.resume()
        }
      }
    }
    #expect(reports.map(\.kind) == [.potentialDeadlock])
  }

  @Test func `a semaphore that others give back is no lock`() async throws {
    let reports = try await watched {
      let tokens = WatchedSemaphore(value: 1), queue = SerialQueue(label: "queue")
      await withCheckedContinuation { ended in
        DispatchQueue.global().async {
          tokens.wait()
          queue.sync {}
          let given = DispatchSemaphore(value: 0)
          Thread {
            tokens.signal()
            given.signal()
          }.start()
          given.wait()
          queue.sync { tokens.wait() }
          ended.resume()
        }
      }
    }
    #expect(reports.isEmpty)
  }

  @Test func `a task that waits for a signal is reported at the call`() async throws {
    let reports = try await watched {
      let signal = WatchedSemaphore(value: 0)
      signal.signal()
      blockingly { signal.wait() }
    }
    #expect(reports.map(\.kind) == [.blockedPoolThread])
  }

  @Test func `a suppressed cycle is silent until its date`() async throws {
    let name = "queue first → queue second → queue first"
    func run(expires: Date) async throws -> [WaitReport] {
      let entry = try Suppressions.Entry(name: name, reason: "known since 1999", expires: expires)
      return try await WaitMonitor.watching(suppressing: Suppressions([entry])) {
        let first = SerialQueue(label: "first"), second = SerialQueue(label: "second")
        first.sync { second.sync {} }
        second.sync { first.sync {} }
      }
    }
    #expect(try await run(expires: .distantFuture).isEmpty)
    #expect(try await run(expires: Date(timeIntervalSince1970: 0)).count == 1)
  }

  /// The compiler warns about such calls in tasks; here they are intended.
  private func blockingly(_ body: () -> Void) { body() }
}
