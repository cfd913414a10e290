import Dispatch
import GatehouseBase
import GatehouseQueues
import Glibc
import HangGuard
import Testing

struct BackgroundQueueTests {
  @Test(arguments: [1, 3]) func `no more than its width run at once, and all run`(width: Int) async throws {
    let queue = BackgroundQueue(label: "test.background", width: width)
    let state = Lock((running: 0, most: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          try await queue.run { () throws(PlainFailure) in
            state.withLock {
              $0.running += 1
              $0.most = max($0.most, $0.running)
            }
            state.withLock { $0.running -= 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(state.withLock { $0.most } <= width && state.withLock { $0.running } == 0)
  }

  @Test func `work of a queue of one begins in the order in which it came`() async throws {
    let queue = BackgroundQueue(label: "test.background", width: 1)
    let order = Lock<[Int]>([])
    for number in 0..<500 { queue.async { order.withLock { $0.append(number) } } }
    try await queue.run { () throws(PlainFailure) in }
    #expect(order.withLock { $0 } == Array(0..<500))
  }

  @Test func `parties take turns, however much one of them wants`() async throws {
    let queue = BackgroundQueue(label: "test.background", width: 1)
    let order = Lock<[String]>([]), gate = WatchedSemaphore(value: 0)
    queue.async { gate.wait() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Each is queued before the next one: a task that is started at once runs until it waits.
      for (number, party) in ["a", "a", "a", "a", "b", "c", "b"].enumerated() {
        group.addImmediateTask {
          try await queue.run(for: party) { () throws(PlainFailure) in order.withLock { $0.append("\(party)\(number)") }
          }
        }
      }
      gate.signal()
      try await group.waitForAll()
    }
    #expect(order.withLock { $0 } == ["a0", "b4", "c5", "a1", "b6", "a2", "a3"])
  }

  @Test func `strangers' work takes turns with all other work, and has no result where there is no room`() async throws
  {
    let queue = BackgroundQueue(label: "test.background", width: 1, isCourteous: false, mostStrangers: 3)
    let order = Lock<[String]>([]), gate = WatchedSemaphore(value: 0)
    queue.async { gate.wait() }
    let refused = try await withThrowingTaskGroup(of: String?.self) { group in
      for stranger in ["s0", "s1", "s2", "s3"] {
        group.addImmediateTask {
          let done = try await queue.runAsStranger(for: stranger) { () throws(PlainFailure) -> Bool in
            order.withLock { $0.append(stranger) }
            return true
          }
          return done == nil ? stranger : nil
        }
      }
      for party in ["k0", "k1"] {
        group.addImmediateTask {
          try await queue.run(for: party) { () throws(PlainFailure) in order.withLock { $0.append(party) } }
          return nil
        }
      }
      #expect(queue.waiting == (known: 2, strangers: 3))
      gate.signal()
      return try await group.reduce(into: [String]()) { $0 += [$1].compactMap(\.self) }
    }
    #expect(refused == ["s3"])
    #expect(order.withLock { $0 } == ["k0", "s0", "k1", "s1", "s2"])
    #expect(queue.waiting == (known: 0, strangers: 0))
  }

  @Test(arguments: [2, 4]) func `strangers' work leaves a thread to all other work`(width: Int) async throws {
    let queue = BackgroundQueue(label: "test.background", width: width, isCourteous: false)
    let gate = WatchedSemaphore(value: 0), begun = Lock(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2 * width {
        group.addImmediateTask {
          _ = try await queue.runAsStranger(for: "s\(number)") { () throws(PlainFailure) in
            begun.withLock { $0 += 1 }
            gate.wait()
          }
        }
      }
      #expect(queue.waiting == (known: 0, strangers: width + 1))
      // Done while the strangers hold their threads, as often as it is wanted.
      for party in ["a", "b", "a"] { try await queue.run(for: party) { () throws(PlainFailure) in } }
      #expect(queue.waiting == (known: 0, strangers: width + 1))
      #expect(begun.withLock { $0 } < width)
      for _ in 0..<2 * width { gate.signal() }
      try await group.waitForAll()
    }
    #expect(begun.withLock { $0 } == 2 * width, "each of them has its turn")
  }

  @Test func `a stranger waits for no more than one known party's work, on the threads that strangers may have`()
    async throws
  {
    let queue = BackgroundQueue(label: "test.background", width: 2, isCourteous: false)
    let order = Lock<[String]>([]), gates = (0..<2).map { _ in WatchedSemaphore(value: 0) }
    queue.async { gates[0].wait() }
    queue.async { gates[1].wait() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for party in ["k0", "k1", "k2"] {
        group.addImmediateTask {
          try await queue.run(for: party) { () throws(PlainFailure) in order.withLock { $0.append(party) } }
        }
      }
      for party in ["s0", "s1"] {
        group.addImmediateTask {
          _ = try await queue.runAsStranger(for: party) { () throws(PlainFailure) in
            order.withLock { $0.append(party) }
          }
        }
      }
      gates[0].signal()
      try await group.waitForAll()
    }
    gates[1].signal()
    #expect(order.withLock { $0 } == ["k0", "s0", "k1", "s1", "k2"])
  }

  @Test func `a task that prefers the queue's threads does work in place`() async throws {
    // The queue has one thread: work that is queued on it waits until the task releases the thread.
    let queue = BackgroundQueue(label: "test.background", width: 1)
    let order = Lock<[Int]>([])
    try await Task(executorPreference: queue.executor) {
      queue.async { order.withLock { $0.append(2) } }
      try await queue.runInPlace { () throws(PlainFailure) in order.withLock { $0.append(1) } }
    }.value
    try await queue.run { () throws(PlainFailure) in }
    #expect(order.withLock { $0 } == [1, 2])
  }

  @Test func `work of another queue than the task's is not done in place`() async throws {
    let queue = BackgroundQueue(label: "test.background", width: 1)
    let other = BackgroundQueue(label: "test.other", width: 1)
    let order = Lock<[Int]>([])
    for executor in [nil, other.executor] {
      order.withLock { $0 = [] }
      try await Task(executorPreference: executor) {
        queue.async { order.withLock { $0.append(1) } }
        try await queue.runInPlace { () throws(PlainFailure) in order.withLock { $0.append(2) } }
      }.value
      #expect(order.withLock { $0 } == [1, 2])
    }
  }

  @Test func `a long line is worked off in time that grows with its length`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      // Limits the processor time, which a busy machine does not stretch. The process is killed if taking each piece
      // moves all that follow.
      var limit = rlimit(rlim_cur: 12, rlim_max: 12)
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit) == 0)
      let queue = BackgroundQueue(label: "test.background", width: 1)
      let gate = DispatchSemaphore(value: 0)
      queue.async { gate.wait() }
      let ran = Lock(0)
      for _ in 0..<400_000 { queue.async { ran.withLock { $0 += 1 } } }
      gate.signal()
      try await queue.run { () throws(PlainFailure) in }
      #expect(ran.withLock { $0 } == 400_000)
    }
  }

  @Test(arguments: [false, true]) func `only a courteous queue lets others go first`(isCourteous: Bool) async {
    let queue = BackgroundQueue(label: "test.background", width: 1, isCourteous: isCourteous)
    let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
    let its = await queue.run { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
    #expect(isCourteous ? its > own : its == own)
    #expect(getpriority(Int32(PRIO_PROCESS.rawValue), 0) == own, "no other thread is touched")
  }

  @Test func `a thread of another queue gets its result and its error`() async throws {
    let outer = BackgroundQueue(label: "test.outer", width: 1)
    let inner = BackgroundQueue(label: "test.inner", width: 1)
    #expect(await outer.run { inner.sync { 42 } } == 42)
    await #expect(throws: PlainFailure.cancelled) {
      try await outer.run { () throws(PlainFailure) in
        try inner.sync { () throws(PlainFailure) -> Int in throw .cancelled }
      }
    }
  }

  @Test func `foreign work runs off the work queue, and errors come back`() async throws {
    #expect(try await onWorkQueue { () throws(PlainFailure) in WorkQueue.executor.isCurrent } == false)
    let error = await #expect(throws: PlainFailure.self) {
      try await onWorkQueue { () throws(PlainFailure) -> Bool in throw .cancelled }
    }
    #expect(error == .cancelled)
  }

  @WorkQueue private func onWorkQueue(
    _ body: @escaping @Sendable () async throws(PlainFailure) -> Bool
  ) async throws(PlainFailure) -> Bool {
    let result = try await Background.run(body)
    #expect(WorkQueue.executor.isCurrent, "and its caller goes on on the work queue")
    return result
  }
}
