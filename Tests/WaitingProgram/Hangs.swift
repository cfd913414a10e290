import Dispatch
import Foundation

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

/// What is slow, and no deadlock.
let idle = [
  Scene("a pool that grows") {
    // All wait until the last one runs, and dispatch adds a thread a second.
    let all = ProcessInfo.processInfo.activeProcessorCount + 4, areRunning = DispatchSemaphore(value: 0)
    let group = DispatchGroup(), lock = NSLock()
    let queues = [DispatchQueue.global(), DispatchQueue(label: "many", attributes: .concurrent)]
    nonisolated(unsafe) var count = 0
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
    // Nobody waits for anything that was queued.
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
