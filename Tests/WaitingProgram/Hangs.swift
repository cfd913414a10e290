import Dispatch
import Foundation

// Raw queues, semaphores and groups: what `gate queuecheck` watches are programs that know nothing of us. Times are
// what the program does, or takes: the command's own limits are far from them.

/// Each hangs, or dies.
let hangs = [
  Scene("for itself") {
    let queue = DispatchQueue(label: "queue")
    func inner() { queue.sync {} }
    queue.sync { inner() }
  },
  Scene("main for itself") { DispatchQueue.main.sync {} },
  Scene("a target for its child") {
    let target = DispatchQueue(label: "target"), child = DispatchQueue(label: "child", target: target)
    target.sync { child.sync {} }
  },
  Scene("two queues at once") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
    let firstIsHeld = DispatchSemaphore(value: 0), secondIsHeld = DispatchSemaphore(value: 0)
    a.async {
      firstIsHeld.signal()
      secondIsHeld.wait()
      b.sync {}
    }
    b.sync {
      firstIsHeld.wait()
      secondIsHeld.signal()
      a.sync {}
    }
  },
  Scene("the pool") {
    let never = DispatchSemaphore(value: 0), group = DispatchGroup()
    for _ in 0..<300 { DispatchQueue.global().async(group: group) { never.wait() } }
    DispatchQueue.global().async { for _ in 0..<300 { never.signal() } }
    group.wait()
  },
  Scene("a pool behind its own queue") {
    let never = DispatchSemaphore(value: 0), group = DispatchGroup()
    let queue = DispatchQueue(label: "queue", attributes: .concurrent)
    for _ in 0..<300 { queue.async(group: group) { never.wait() } }
    queue.async { for _ in 0..<300 { never.signal() } }
    group.wait()
  },
  Scene("main that nobody drains") {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { DispatchQueue.main.async { done.signal() } }
    done.wait()
  },
  Scene("a thread that waits for main") {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      DispatchQueue.main.sync {}
      done.signal()
    }
    done.wait()
  },
  Scene("a mutex of its own") {
    let mutex = Mutex()
    mutex.hold { mutex.hold {} }
  },
  Scene("a barrier from its own reader") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent)
    queue.sync { queue.sync(flags: .barrier) {} }
  },
  Scene("a barrier from its own reader, beside a main thread that works") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent)
    queue.async { queue.sync(flags: .barrier) {} }
    while true { usleep(1000) }
  },
  Scene("a queue that waits for its own timer") {
    let queue = DispatchQueue(label: "queue"), ticked = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { ticked.signal() }
    timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
    queue.sync {
      timer.activate()
      ticked.wait()
    }
    timer.cancel()
  },
  Scene("main, which a timer on main would wake") {
    let ticked = DispatchSemaphore(value: 0), timer = DispatchSource.makeTimerSource(queue: .main)
    timer.setEventHandler { ticked.signal() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(100))
    timer.activate()
    ticked.wait()
  },
  Scene("a queue that waits for what it runs in an hour") {
    let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
    queue.asyncAfter(deadline: .now() + 3600) { done.signal() }
    queue.sync { done.wait() }
  },
  Scene("a semaphore beside a timer that was canceled") {
    let ticked = DispatchSemaphore(value: 0), timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { ticked.signal() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(100))
    timer.activate()
    ticked.wait()
    timer.cancel()
    DispatchSemaphore(value: 0).wait()
  },
  Scene("a barrier behind one of two readers") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent), lock = Mutex()
    let areReading = DispatchSemaphore(value: 0), isLocked = DispatchSemaphore(value: 0)
    queue.async {
      areReading.signal()
      sleep(60)
    }
    queue.async {
      areReading.signal()
      isLocked.wait()
      lock.hold {}
    }
    for _ in 0..<2 { areReading.wait() }
    lock.hold {
      isLocked.signal()
      queue.sync(flags: .barrier) {}
    }
  },
  Scene("a group in one of its members") {
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { group.wait() }
    group.wait()
  },
  Scene("a condition that was signaled too early") {
    let condition = NSCondition()
    inTurn({ condition.withLock { condition.signal() } })
    condition.withLock { condition.wait() }
  },
  Scene("a semaphore that is never signaled") {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {}
    done.wait()
  },
  Scene("operations that wait for each other") {
    let queue = OperationQueue(), have = DispatchGroup()
    for _ in 0..<2 { have.enter() }
    nonisolated(unsafe) var operations: [Operation] = []  // written before the first one starts
    operations = [0, 1].map { number in
      BlockOperation {
        have.leave()
        have.wait()
        operations[1 - number].waitUntilFinished()
      }
    }
    queue.addOperations(operations, waitUntilFinished: true)
  },
  Scene("an operation that waits for its queue") {
    let queue = OperationQueue()
    queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
    queue.waitUntilAllOperationsAreFinished()
  },
  Scene("two lazy globals") {
    let thread = Thread { _ = First.value }
    thread.start()
    _ = Second.value
    while !thread.isFinished { usleep(200) }
  },
  Scene("tasks that block each other") {
    let a = DispatchSemaphore(value: 0), b = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
    for (mine, other) in [(a, b), (b, a)] {
      Task.detached {
        block(mine)
        other.signal()
        done.signal()
      }
    }
    for _ in 0..<2 { done.wait() }
  },
]

/// A task may not wait for a semaphore in its own function: that is an error. It may in a function that it calls.
private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }

private let haveBegun: DispatchGroup = {
  let group = DispatchGroup()
  for _ in 0..<2 { group.enter() }
  return group
}()

private enum First {
  static let value: Int = {
    haveBegun.leave()
    haveBegun.wait()
    return Second.value
  }()
}

private enum Second {
  static let value: Int = {
    haveBegun.leave()
    haveBegun.wait()
    return First.value
  }()
}

/// Each waits for seconds and goes on: for a thread that sleeps or reads, or for a timer.
let slow = [
  Scene("a main thread that waits with a block pending") {
    let done = DispatchSemaphore(value: 0)
    Thread {
      sleepUntilToldToGo()
      done.signal()
    }.start()
    DispatchQueue.main.async {}
    done.wait()
  },
  Scene("a main thread that waits for a timer with a block pending") {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.main.async {}
    DispatchQueue.global().asyncAfter(deadline: .now() + 3) { done.signal() }
    done.wait()
  },
  Scene("a main thread that waits for a task that sleeps") {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.main.async {}
    Task.detached {
      try? await Task.sleep(for: .seconds(3))
      done.signal()
    }
    done.wait()
  },
  Scene("a main thread that waits for a repeating timer") {
    let done = DispatchSemaphore(value: 0), timer = DispatchSource.makeTimerSource()
    nonisolated(unsafe) var turns = 0  // on the timer's queue only
    timer.setEventHandler {
      turns += 1
      if turns == 2 { done.signal() }
    }
    timer.schedule(deadline: .now() + 1, repeating: 2)
    timer.activate()
    DispatchQueue.main.async {}
    done.wait()
    timer.cancel()
  },
  Scene("a queue that waits for a timer, beside a timer of its own") {
    let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
    let own = DispatchSource.makeTimerSource(queue: queue), other = DispatchSource.makeTimerSource()
    for timer in [own, other] {
      timer.schedule(deadline: .now() + 3, repeating: 3)
      timer.activate()
    }
    other.setEventHandler { done.signal() }
    queue.sync { done.wait() }
    for timer in [own, other] { timer.cancel() }
  },
  Scene("a main thread that waits for a pipe with a block pending") {
    let done = DispatchSemaphore(value: 0), pipe = Pipe()
    let source = DispatchSource.makeReadSource(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
    source.setEventHandler {
      _ = pipe.fileHandleForReading.availableData
      done.signal()
    }
    source.activate()
    DispatchQueue.main.async {}
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", "sleep 3; echo"]
    writer.standardOutput = pipe
    try? writer.run()
    done.wait()
    source.cancel()
  },
  Scene("a signal handler that signals") {
    // glibc's `sem_post` may be called in a handler, and Dispatch calls nothing else for a thread that waits.
    signal(SIGALRM) { _ in handled.signal() }
    _ = handled
    DispatchQueue.main.async {}
    alarm(3)
    handled.wait()
  },
  Scene("a worker loop on a serial queue") {
    let queue = DispatchQueue(label: "worker"), work = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
    queue.async {
      for _ in 0..<2 {
        work.wait()
        done.signal()
      }
    }
    queue.async { done.signal() }
    for _ in 0..<2 {
      sleep(2)
      work.signal()
      done.wait()
    }
    done.wait()
  },
  Scene("many blocks that wait for a thread that sleeps") {
    let done = DispatchSemaphore(value: 0), group = DispatchGroup()
    for _ in 0..<300 { DispatchQueue.global().async(group: group) { done.wait() } }
    sleep(4)
    for _ in 0..<300 { done.signal() }
    group.wait()
  },
  Scene("a condition with a limit") {
    let condition = NSCondition(), done = DispatchSemaphore(value: 0)
    Thread {
      condition.withLock { _ = condition.wait(until: Date(timeIntervalSinceNow: 3)) }
      done.signal()
    }.start()
    DispatchQueue.main.async {}
    done.wait()
  },
  // The pool of these two grows by a thread a second. On a busy machine a thread may come later: that is a note.
  Scene("one that works while others wait for it") {
    let done = DispatchSemaphore(value: 0), group = DispatchGroup()
    DispatchQueue.global().async {
      let end = DispatchTime.now() + 6
      while DispatchTime.now() < end {}
      for _ in 0..<9 { done.signal() }
    }
    for _ in 0..<9 { DispatchQueue.global().async(group: group) { done.wait() } }
    group.wait()
  },
  Scene("a pool that grows") {
    // All wait until the last one runs, and dispatch adds a thread a second.
    let all = ProcessInfo.processInfo.activeProcessorCount + 4, areRunning = DispatchSemaphore(value: 0)
    let group = DispatchGroup(), lock = NSLock()
    let queues = [DispatchQueue.global(), DispatchQueue(label: "many", attributes: .concurrent)]
    nonisolated(unsafe) var count = 0  // behind the lock
    for number in 0..<all {
      queues[number % 2].async(group: group) {
        let isLast = lock.withLock {
          count += 1
          return count == all
        }
        if isLast { for _ in 1..<all { areRunning.signal() } } else { areRunning.wait() }
      }
    }
    group.wait()
  },
]

private let handled = DispatchSemaphore(value: 0)

/// In each a thread waits for ever for a signal, while main sleeps and could still give it.
let heldUp = [
  Scene("a reader before a barrier") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent), written = DispatchSemaphore(value: 0)
    queue.async { written.wait() }
    queue.async(flags: .barrier) { written.signal() }
    sleepUntilToldToGo()
  },
  Scene("a reader before an item that is a barrier") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent), written = DispatchSemaphore(value: 0)
    queue.async { written.wait() }
    queue.async(execute: DispatchWorkItem(flags: .barrier) {})
    queue.async { written.signal() }
    sleepUntilToldToGo()
  },
  Scene("a reader before its neighbor, on one serial queue") {
    let serial = DispatchQueue(label: "serial"), written = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "queue", attributes: .concurrent, target: serial)
    queue.async { written.wait() }
    queue.async { written.signal() }
    sleepUntilToldToGo()
  },
]

/// None is a deadlock, and the pool need not grow.
let idle = [
  Scene("a server") {
    // No thread waits for queued work.
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.setEventHandler { exit(0) }
    source.schedule(deadline: .now() + 2)
    source.activate()
    dispatchMain()
  },
  Scene("a main thread that waits") {
    let done = DispatchSemaphore(value: 0)
    Thread {
      sleep(2)
      done.signal()
    }.start()
    done.wait()
  },
  Scene("a slow block") {
    let queue = DispatchQueue(label: "queue")
    queue.async { sleep(2) }
    queue.sync {}
  },
]
