// Programs that know the queues and nothing else of Gatehouse.
extension Stranger {
  static let queues = [
    Stranger(name: "QueuesAlone", products: ["GatehouseQueues"], text: queuesAlone, output: queuesOutput),
    Stranger(
      name: "SchedulesAlone", products: ["GatehouseQueues", "GatehouseSchedules"], text: schedulesAlone,
      output: "held 200 true\n"),
  ]

  /// Uses every public type of the queues. Each `catch` with a pattern is followed by a plain one: without it, some
  /// bodies crash the compiler (swiftlang/swift#89787).
  private static let queuesAlone = """
    import Dispatch
    import GatehouseQueues

    enum Refusal: Error { case full }

    /// An actor on a queue.
    actor Account {
      static let executor = SerialQueueExecutor(label: "app.accounts")
      nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
      var balance = 0

      func add(_ amount: Int) throws(Refusal) -> Int {
        guard balance + amount <= 10 else { throw .full }
        balance += amount
        return balance
      }
    }

    /// Clocks of one's own.
    struct Hasty: Clocks {
      func now() -> ClockReading { ClockReading(wall: 0, boot: 0, bootID: "hasty") }
      func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
        if alarm.boot < 60 { body() }
        return AlarmCancellation {}
      }
    }

    final class Handler: Sendable {
      let released: CheckedContinuation<Void, Never>
      init(_ released: CheckedContinuation<Void, Never>) { self.released = released }
      deinit { released.resume() }
    }

    @main
    struct Program {
      static func main() async throws {
        let executor = Account.executor
        let account = Account()
        executor.async { account.assumeIsolated { _ = try? $0.add(1) } }
        let balance = executor.sync { account.assumeIsolated { $0.balance } }
        print("executor:", executor.label, balance, executor.isCurrent, executor.sync { executor.isCurrent })

        let changes = SerialTaskQueue(label: "app.changes", target: executor, clocks: Hasty())
        print("run:", try await changes.run("add") { () async throws(Refusal) in try await account.add(2) })
        do {
          _ = try await changes.run("add") { () async throws(Refusal) in try await account.add(100) }
        } catch .work(let error) {
          print("work:", error)
        } catch {
          print("unexpected:", error)
        }
        do {
          try await changes.run("outer") { () async throws(QueueFailure<Never>) in
            try await changes.run("inner") {}
          }
        } catch .work(.wouldDeadlock(let queue)) {
          print("would deadlock:", queue)
        } catch {
          print("unexpected:", error)
        }
        do {
          try await changes.run("stuck", timeout: .seconds(5)) { try? await Task.sleep(for: .seconds(3_600)) }
        } catch .deadline(let operation, let timeout) {
          print("deadline:", operation, timeout)
        } catch {
          print("unexpected:", error)
        }

        changes.suspend()
        let never = changes.enqueue("never") { print("never") }
        let first = changes.enqueue("first") { 1 }
        changes.enqueue { complete in DispatchQueue.global().async { complete() } }
        never.cancel()
        changes.resume()
        await withCheckedContinuation { done in
          changes.async {
            print("block")
            done.resume()
          }
        }
        print("enqueue:", try await first.value)
        do { try await never.value } catch { print("never:", error) }

        let callbacks = CallbackQueue(DispatchQueue(label: "app.callbacks"), patience: .seconds(30)) { print($0) }
        await withCheckedContinuation { done in callbacks.deliver { done.resume() } }
        await withCheckedContinuation { done in callbacks.release(Handler(done)) }
        print("callbacks")

        let files = BackgroundQueue(label: "app.files", width: 2)
        print("background:", try await files.run { () throws(Refusal) in 3 })
        await withCheckedContinuation { done in files.async { done.resume() } }

        let lock = Lock(0)
        let serial = SerialQueue(label: "app.serial"), concurrent = ConcurrentQueue(label: "app.concurrent")
        let group = Group()
        serial.async { lock.withLock { $0 += 1 } }
        serial.async(group: group) { lock.withLock { $0 += 1 } }
        concurrent.async(group: group) { lock.withLock { $0 += 1 } }
        await withCheckedContinuation { done in group.notify(on: serial) { done.resume() } }
        await withCheckedContinuation { done in serial.async(after: .milliseconds(1)) { done.resume() } }
        print("queues:", serial.sync { concurrent.syncBarrier { lock.withLock { $0 } } })
        let semaphore = WatchedSemaphore(value: 1)
        print("semaphore:", semaphore.wait(timeout: .seconds(30)), semaphore.wait(timeout: .zero))
        semaphore.signal()

        QueueTrace.start(limit: 10)
        executor.sync {}
        print("trace:", QueueTrace.stop().starts(with: Array("{".utf8)))
      }
    }
    """

  private static let queuesOutput = """
    executor: app.accounts 1 false true
    run: 3
    work: full
    would deadlock: app.changes
    deadline: stuck 5.0 seconds
    block
    enqueue: 1
    never: the waiting task was cancelled
    callbacks
    background: 3
    queues: 3
    semaphore: true false
    trace: true

    """

  private static let schedulesAlone = """
    import GatehouseQueues
    import GatehouseSchedules

    @main
    struct Program {
      static func main() {
        let report = Schedules.explore(200) { context in
          let executor = SerialQueueExecutor(label: "app.state")
          let queue = SerialTaskQueue(label: "app.changes", target: executor, clocks: context.clocks)
          let order = Lock<[Int]>([])
          let operations = (0..<3).map { number in
            queue.enqueue("change", timeout: .seconds(5)) {
              await context.yield()
              order.withLock { $0.append(number) }
            }
          }
          let stuck = queue.enqueue("stuck", timeout: .seconds(5)) { await context.sleep(for: .seconds(60)) }
          for operation in operations { try await operation.value }
          context.check(order.withLock { $0 } == [0, 1, 2], "out of order")
          do throws(QueueFailure<Never>) {
            try await stuck.value
            context.check(false, "not stuck")
          } catch .deadline {
            context.check(context.clocks.now().boot >= 1_005, "too early")
          } catch {
            context.check(false, "ended another way")
          }
          await context.settle()
        }
        print(report.failure?.description ?? "held", report.schedules, report.different > 10)
      }
    }
    """
}
