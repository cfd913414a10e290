import Testing

/// When a signal that is given before a wait forms a cycle with the wait for the signal.
struct SignalsTests {
  @Test func `what is waited for after the signal forms no cycle with the wait for it`() async throws {
    let outcome = try await SmallProgram.run(swift: Self.rounds(1))
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `with the next wait for that signal it is one`() async throws {
    let outcome = try await SmallProgram.run(swift: Self.rounds(2))
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("→ queue queue → lock"), "\(outcome)")
  }

  /// In another run the item ends later.
  @Test(arguments: [("lock", 3), ("other", 0)])
  func `an item that has ended is awaited all the same`(lock: String, status: Int32) async throws {
    let outcome = try await SmallProgram.run(
      swift: Self.item("\(lock).withLock { item.wait() }", takes: "lock.withLock {}"))
    #expect(outcome.status == status && outcome.output == "lived\n", "\(outcome)")
  }

  /// Blocks of one queue run in turn.
  @Test func `an item that has ended may be awaited on its own queue`() async throws {
    let outcome = try await SmallProgram.run(swift: Self.item("queue.sync { item.wait() }", takes: ""))
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  private static func item(_ wait: String, takes: String) -> String {
    """
    import Dispatch
    import Foundation
    let lock = NSLock(), other = NSLock(), queue = DispatchQueue(label: "queue")
    nonisolated(unsafe) var hasRun = false
    let item = DispatchWorkItem {
      \(takes)
      hasRun = true
    }
    queue.async(execute: item)
    while !hasRun { sched_yield() }
    \(wait)
    print("lived")
    """
  }

  @Test func `nor is it none when another turn asks without having given it`() async throws {
    let outcome = try await SmallProgram.run(swift: Self.rounds(1, then: "queue.sync { lock.withLock {} }"))
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
  }

  /// As a virtual machine starts its threads: one gives a sign that it runs, and many more signs later.
  @Test(arguments: ["thread", "queue"])
  func `many signals later it is still none`(runs: String) async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        import Foundation
        let lock = NSLock(), queue = DispatchQueue(label: "queue")
        let started = DispatchSemaphore(value: 0), other = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        @Sendable func run() {
          started.signal()
          for _ in 0..<6 { other.signal() }
          lock.withLock {}
          ended.signal()
        }
        lock.lock()
        if \(runs == "thread") { Thread { run() }.start() } else { queue.async(execute: run) }
        started.wait()
        lock.unlock()
        ended.wait()
        print("lived")
        """)
    #expect(outcome.status == 0 && outcome.output == "lived\n", "\(outcome)")
  }

  /// As in GRDB's tests: two turns of one loop hand over to each other, one of them on a queue. Dispatch asks for the
  /// number of processors, and makes as many threads for a loop. The program answers two, whatever the machine has.
  @Test func `a signal that one turn of a loop gives is no other turn's`() async throws {
    let source = """
      import Dispatch
      import Glibc
      @c(pthread_getaffinity_np)
      public func processors(_: pthread_t, _: Int, _ set: UnsafeMutablePointer<cpu_set_t>) -> CInt {
        set.pointee = cpu_set_t()
        set.pointee.__bits.0 = 0b11
        return 0
      }
      let queue = DispatchQueue(label: "queue")
      let begun = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
      DispatchQueue.concurrentPerform(iterations: 2) { turn in
        if turn == 0 {
          queue.sync {
            begun.signal()
            ended.wait()
          }
        } else {
          begun.wait()
          ended.signal()
        }
      }
      print("lived")
      """
    // Dispatch finds the function only if the program exports it.
    let outcome = try await SmallProgram.run(
      source, [["swiftc", "-g", "-Xlinker", "--export-dynamic", "-o", "program", "program.swift"]])
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  /// As in GRDB's tests: a block asks for the right queue, and then waits on it for the left queue's signal. It does not
  /// do both at once. Another block may, once it waits on the right queue as well.
  @Test(arguments: [("", 0), ("right.sync { written.wait() }", 3)])
  func `a block that waits for a signal waits for nothing else meanwhile`(third: String, status: Int32) async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        let left = DispatchQueue(label: "left"), right = DispatchQueue(label: "right"), group = DispatchGroup()
        let workers = DispatchQueue(label: "workers", attributes: .concurrent)
        let begun = DispatchSemaphore(value: 0), ready = DispatchSemaphore(value: 0)
        let written = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
        workers.async(group: group) {
          left.sync {
            begun.signal()
            ready.wait()
            written.signal()
            written.signal()
            ended.wait()
          }
        }
        workers.async(group: group) {
          begun.wait()
          right.sync {
            ready.signal()
            written.wait()
          }
          ended.signal()
        }
        group.wait()
        workers.async(group: group) { \(third) }
        group.wait()
        print("lived")
        """)
    #expect(outcome.status == status && outcome.output == "lived\n", "\(outcome)")
  }

  @Test func `what a turn of a loop waits for before it gives a signal keeps the waiter waiting`() async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        let queue = DispatchQueue(label: "queue"), given = DispatchSemaphore(value: 0)
        DispatchQueue.concurrentPerform(iterations: 2) { turn in
          if turn == 0 {
            queue.sync {}
            given.signal()
          }
        }
        queue.sync { given.wait() }
        print("lived")
        """)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("concurrent work"), "\(outcome)")
  }

  /// A semaphore of one that one piece of work takes and another one gives. It is chance which thread runs them.
  private static func lent(_ work: String) -> String {
    """
    import Dispatch
    import Foundation
    let gate = DispatchSemaphore(value: 1), done = DispatchSemaphore(value: 0), lock = NSLock()
    let queue = DispatchQueue(label: "work")
    func take() { gate.wait() }
    func give() { gate.signal() }
    func use() { lock.withLock {} }
    func useOther() { lock.withLock { gate.wait(); gate.signal() } }
    \(work)
    \(work.contains("await") ? "await Task.detached { useOther() }.value" : "useOther()")
    print("lived")
    """
  }

  @Test(arguments: [
    "queue.async { take() }; queue.async { use() }; queue.async { give(); done.signal() }; done.wait()",
    """
    for work in [take, use, give] { queue.async(execute: DispatchWorkItem(block: work)) }
    queue.sync {}
    """,
    "await Task.detached { take() }.value; use(); await Task.detached { give() }.value",
  ])
  func `a semaphore that another piece of work gives is no lock`(work: String) async throws {
    for _ in 0..<3 {
      let outcome = try await SmallProgram.run(swift: Self.lent(work))
      #expect(outcome.status == 0 && outcome.output == "lived\n", "\(outcome)")
    }
  }

  @Test(arguments: [
    "queue.async { take(); use(); give() }; queue.sync {}",
    "queue.sync { take() }; use(); give()",
    "DispatchWorkItem(block: take).perform(); use(); give()",
    "await Task.detached { take(); use(); give() }.value",
    "await Task.detached { take(); await Task.yield(); use(); give() }.value",
    "for _ in 0..<2 { await Task { @MainActor in take(); await Task.yield(); use(); give() }.value }",
    "take(); await Task.yield(); use(); give(); take(); await Task.yield(); give()",
    """
    actor Account {
      func use() async {
        take()
        await Task.yield()
        lock.withLock {}
        give()
      }
    }
    let others = (0..<3).map { _ in Task.detached { for _ in 0..<200 { await Task.yield() } } }
    for _ in 0..<4 { await Account().use() }
    for other in others { await other.value }
    """,
  ])
  func `a semaphore that the same piece of work gives is one`(work: String) async throws {
    for _ in 0..<3 {
      let outcome = try await SmallProgram.run(swift: Self.lent(work))
      #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    }
  }

  /// The tasks go on with it on other threads.
  @Test func `a semaphore that tasks hold while they await something is a gate`() async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        import Foundation
        let gate = DispatchSemaphore(value: 1), one = NSLock(), other = NSLock()
        func take() { gate.wait() }
        func pass(_ first: NSLock, _ second: NSLock) async {
          take()
          await Task.yield()
          first.withLock { second.withLock {} }
          await Task.yield()
          gate.signal()
        }
        let others = (0..<3).map { _ in Task.detached { for _ in 0..<200 { await Task.yield() } } }
        for _ in 0..<4 {
          await Task.detached { await pass(one, other) }.value
          await Task.detached { await pass(other, one) }.value
        }
        for other in others { await other.value }
        print("lived")
        """)
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  /// Python's threads take turns so: each of them, and main, gives one condition.
  @Test(arguments: [
    ("run(take_and_give);", 3), ("give(); run(take_and_give);", 3),
    ("give(); give(); run(take_and_give);", 0), ("run(take_and_give); give(); give();", 0),
    ("run(give_in_many_ways); run(take_and_give);", 3), ("run(give_in_many_ways); run(give_with_lock);", 0),
    ("ways = 17; run(give_in_many_ways); run(give_with_lock);", 0),
  ])
  func `a signal needs only what each of its givers had`(givers: String, status: Int32) async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <sched.h>
        #include <stdio.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
        static int is_awaited, is_given, ways = 8;
        static void give(void) {
          pthread_mutex_lock(&mutex);
          pthread_cond_signal(&turn);
          pthread_mutex_unlock(&mutex);
        }
        static void *give_in_many_ways(void *none) {
          static pthread_mutex_t around[17];
          for (int way = 0; way < ways; way++) {
            pthread_mutex_init(&around[way], NULL);
            pthread_mutex_lock(&around[way]);
            give();
            pthread_mutex_unlock(&around[way]);
          }
          return none;
        }
        static void *take_and_give(void *none) {
          pthread_mutex_lock(&lock);
          pthread_mutex_unlock(&lock);
          give();
          return none;
        }
        static void *give_with_lock(void *none) {
          pthread_mutex_lock(&lock);
          give();
          pthread_mutex_unlock(&lock);
          return none;
        }
        static void *wake(void *none) {
          for (int is_done = 0; !is_done; sched_yield()) {
            pthread_mutex_lock(&mutex);
            is_given = is_done = is_awaited;
            pthread_mutex_unlock(&mutex);
          }
          give();
          return none;
        }
        static void run(void *(*work)(void *)) {
          pthread_t thread;
          pthread_create(&thread, NULL, work, NULL);
          pthread_join(thread, NULL);
        }
        int main(void) {
          pthread_t thread;
          \(givers)
          pthread_create(&thread, NULL, wake, NULL);
          pthread_mutex_lock(&lock);
          pthread_mutex_lock(&mutex);
          is_awaited = 1;
          while (!is_given) pthread_cond_wait(&turn, &mutex);
          pthread_mutex_unlock(&mutex);
          pthread_mutex_unlock(&lock);
          pthread_join(thread, NULL);
          puts("lived");
        }
        """)
    #expect(outcome.status == status && outcome.output == "lived\n", "\(outcome)")
  }

  /// The queue's turn gives first and asks for the lock afterwards; the signal is waited for under the lock.
  private static func rounds(_ count: Int, then end: String = "") -> String {
    """
    import Dispatch
    import Foundation
    let lock = NSLock(), queue = DispatchQueue(label: "queue"), given = DispatchSemaphore(value: 0)
    for _ in 0..<\(count) {
      let ended = DispatchSemaphore(value: 0)
      lock.lock()
      queue.async {
        given.signal()
        lock.withLock {}
        ended.signal()
      }
      given.wait()
      lock.unlock()
      ended.wait()
    }
    \(end)
    print("lived")
    """
  }
}
