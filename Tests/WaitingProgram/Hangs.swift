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
    let both = DispatchSemaphore(value: 0)
    a.async {
      both.signal()
      usleep(50_000)
      b.sync {}
    }
    both.wait()
    b.sync {
      usleep(50_000)
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
]

/// In each a thread waits for ever for a signal. That cannot be known, so it is reported, and goes on until main has
/// slept.
let heldUp = [
  Scene("a reader before a barrier") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent), written = DispatchSemaphore(value: 0)
    queue.async { written.wait() }
    queue.async(flags: .barrier) { written.signal() }
    sleep(4)
  },
  Scene("a reader before an item that is a barrier") {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent), written = DispatchSemaphore(value: 0)
    queue.async { written.wait() }
    queue.async(execute: DispatchWorkItem(flags: .barrier) {})
    queue.async { written.signal() }
    sleep(4)
  },
  Scene("a reader before its neighbor, on one serial queue") {
    let serial = DispatchQueue(label: "serial"), written = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "queue", attributes: .concurrent, target: serial)
    queue.async { written.wait() }
    queue.async { written.signal() }
    sleep(4)
  },
]

/// What is slow, and no deadlock.
let idle = [
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
