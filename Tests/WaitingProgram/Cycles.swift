import Dispatch
import Foundation

/// Each can hang, and does not in this run.
let cycles = [
  Scene("two queues") {
    let accounts = DispatchQueue(label: "accounts"), billing = DispatchQueue(label: "billing")
    inTurn({ accounts.sync { billing.sync {} } }, { billing.sync { accounts.sync {} } })
  },
  Scene("a queue and a mutex") {
    let queue = DispatchQueue(label: "queue"), mutex = Mutex()
    inTurn({ queue.sync { mutex.hold {} } }, { mutex.hold { queue.sync {} } })
  },
  Scene("a queue and NSLock") {
    let queue = DispatchQueue(label: "queue"), lock = NSLock()
    inTurn({ queue.sync { lock.withLock {} } }, { lock.withLock { queue.sync {} } })
  },
  Scene("two mutexes") {
    let one = Mutex(), other = NSLock()
    inTurn({ one.hold { other.withLock {} } }, { other.withLock { one.hold {} } })
  },
  Scene("three queues") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"), c = DispatchQueue(label: "c")
    inTurn({ a.sync { b.sync {} } }, { b.sync { c.sync {} } }, { c.sync { a.sync {} } })
  },
  Scene("through the target") {
    let target = DispatchQueue(label: "target"), child = DispatchQueue(label: "child", target: target)
    let other = DispatchQueue(label: "other")
    inTurn({ child.sync { other.sync {} } }, { other.sync { target.sync {} } })
  },
  Scene("asynchronous blocks") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"), done = DispatchSemaphore(value: 0)
    a.async {
      b.sync {}
      done.signal()
    }
    done.wait()
    b.async {
      a.sync {}
      done.signal()
    }
    done.wait()
  },
  Scene("a barrier") {
    let shared = DispatchQueue(label: "shared", attributes: .concurrent), mutex = Mutex()
    inTurn({ shared.sync(flags: .barrier) { mutex.hold {} } }, { mutex.hold { shared.sync {} } })
  },
  Scene("a semaphore as completion") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
    inTurn(
      {
        a.sync {
          let done = DispatchSemaphore(value: 0)
          b.async { done.signal() }
          done.wait()
        }
      }, { b.sync { a.sync {} } })
  },
  Scene("a group") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
    inTurn(
      {
        a.sync {
          let group = DispatchGroup()
          b.async(group: group) {}
          group.wait()
        }
      }, { b.sync { a.sync {} } })
  },
  Scene("a work item") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
    inTurn(
      {
        a.sync {
          let item = DispatchWorkItem { usleep(200_000) }
          b.async(execute: item)
          item.wait()
        }
      }, { b.sync { a.sync {} } })
  },
  Scene("from a work item") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"), done = DispatchSemaphore(value: 0)
    a.async(
      execute: DispatchWorkItem {
        b.sync {}
        done.signal()
      })
    done.wait()
    inTurn({ b.sync { a.sync {} } })
  },
  Scene("a semaphore as lock") {
    let queue = DispatchQueue(label: "queue"), lock = DispatchSemaphore(value: 1)
    inTurn(
      {
        lock.wait()
        queue.sync {}
        lock.signal()
      },
      {
        queue.sync {
          lock.wait()
          lock.signal()
        }
      })
  },
  Scene("a read-write lock") {
    let shelf = Shelf(), queue = DispatchQueue(label: "queue")
    inTurn({ shelf.write { queue.sync {} } }, { queue.sync { shelf.read {} } })
  },
  Scene("after a condition") {
    let condition = NSCondition(), mutex = Mutex()
    inTurn(
      {
        condition.lock()
        mutex.hold { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.001)) }
        condition.unlock()
      })
  },
  Scene("main and a queue") {
    let queue = DispatchQueue(label: "queue")
    queue.async {}  // from now on others may keep main waiting
    DispatchQueue.main.async {
      queue.sync {}
      queue.async {
        DispatchQueue.main.sync {}
        exit(0)
      }
    }
    RunLoop.main.run()
  },
  Scene("main that dispatch drains") {
    let queue = DispatchQueue(label: "queue")
    DispatchQueue.main.async {
      queue.sync {}
      queue.async {
        DispatchQueue.main.sync {}
        exit(0)
      }
    }
    dispatchMain()
  },
  Scene("an operation whose end is seen before it is announced") {
    // The program begins to end in between.
    let images = OperationQueue(), disk = DispatchQueue(label: "disk"), operation = SeenOperation()
    (images.name, images.maxConcurrentOperationCount) = ("images", 1)
    images.addOperations([BlockOperation { disk.sync {} }], waitUntilFinished: true)
    atexit { try? announced.fileHandleForWriting.close() }
    disk.sync {
      images.addOperation(operation)
      _ = try? ended.fileHandleForReading.read(upToCount: 1)
      operation.waitUntilFinished()
      exit(0)
    }
  },
  Scene("an owner that goes while its queue is busy") {
    let lock = Mutex()
    var connections = [Connection()]
    connections[0].queue.async { lock.hold {} }
    connections[0].queue.sync {}
    lock.hold {
      connections[0].queue.async { untilMainSleeps() }
      connections.removeAll()
    }
  },
  Scene("a pool that is entered while it closes") {
    let pool = Pool()
    pool.use()
    inTurn({ pool.use(isGated: false) })
    pool.close()
  },
  Scene("a pool that others leave") {
    let pool = Pool()
    pool.use(leaves: false)
    pool.close()
  },
  Scene("a pool that is entered again") {
    // Another thread leaves it for the thread that entered first; the second leave is not for the first entry.
    let gate = DispatchQueue(label: "gate", attributes: .concurrent), members = DispatchGroup()
    let reader = DispatchQueue(label: "reader"), content = Mutex()
    inTurn({
      gate.sync { members.enter() }
      inTurn({ members.leave() })
      content.hold { reader.sync {} }
      gate.sync { members.enter() }
      members.leave()
    })
    gate.sync(flags: .barrier) {
      members.wait()
      reader.sync { content.hold {} }
    }
  },
  Scene("two of one class") {
    let queues = (0..<2).map { _ in DispatchQueue(label: "account") }
    inTurn({ queues[0].sync { queues[1].sync {} } }, { queues[1].sync { queues[0].sync {} } })
  },
]

/// Pipes, because no wait for them counts: whether the operation has ended, and whether that may be announced.
private let ended = Pipe(), announced = Pipe()

/// An operation whose thread is held up between its end and the announcement of that. `@unchecked`, as `Operation` is:
/// it has no state of its own.
private final class SeenOperation: Operation, @unchecked Sendable {
  override var isFinished: Bool {
    guard super.isFinished else { return false }
    if !Thread.isMainThread {
      try? ended.fileHandleForWriting.write(contentsOf: [1])
      _ = try? announced.fileHandleForReading.readToEnd()
    }
    return true
  }
}
