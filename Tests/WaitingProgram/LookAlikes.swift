import Dispatch
import Foundation

/// None can hang.
let lookAlikes = [
  Scene("one order") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
    inTurn({ a.sync { b.sync {} } }, { a.sync { b.sync {} } })
  },
  Scene("a tree of one label") {
    final class Node: @unchecked Sendable {
      let queue = DispatchQueue(label: "node"), children: [Node]
      init(depth: Int) { children = depth == 0 ? [] : (0..<2).map { _ in Node(depth: depth - 1) } }
      func visit() { queue.sync { for child in children { child.visit() } } }
    }
    Node(depth: 4).visit()
  },
  Scene("made under a lock and used there first") {
    // No other thread knows the queue yet: the wait for it is none. The turns come one after the other, so no thread
    // reads while it is written.
    let lock = Mutex()
    nonisolated(unsafe) var queue: DispatchQueue?
    inTurn(
      {
        lock.hold {
          let new = DispatchQueue(label: "new")
          new.sync {}
          queue = new
        }
      }, { queue?.sync { lock.hold {} } })
  },
  Scene("handed back") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"), group = DispatchGroup()
    a.sync { b.sync {} }
    b.sync { a.async(group: group) {} }
    group.wait()
  },
  Scene("hand over hand") {
    let locks = (0..<8).map { _ in NSLock() }
    for (one, next) in zip(locks, locks.dropFirst()) {
      if one === locks.first { one.lock() }
      next.lock()
      one.unlock()
    }
    locks.last?.unlock()
  },
  Scene("a recursive lock") {
    let lock = NSRecursiveLock(), queue = DispatchQueue(label: "queue")
    lock.withLock {
      queue.sync {}; lock.withLock { queue.sync {} }
    }
  },
  Scene("a semaphore as completion") {
    let queue = DispatchQueue(label: "queue")
    for _ in 0..<20 {
      let done = DispatchSemaphore(value: 0)
      queue.async { done.signal() }
      done.wait()
    }
  },
  Scene("a queue with another target") {
    let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
    let child = DispatchQueue(label: "child", attributes: .initiallyInactive)
    child.setTarget(queue: a)
    child.activate()
    b.sync { child.sync {} }
    child.sync {}
    a.sync {}
  },
  Scene("concurrent queues without barriers") {
    let a = DispatchQueue(label: "a", attributes: .concurrent), b = DispatchQueue(label: "b", attributes: .concurrent)
    inTurn({ a.sync { b.sync { a.sync {} } } }, { b.sync { a.sync {} } })
  },
  Scene("trying") {
    let a = Mutex(), b = Mutex()
    inTurn({ a.hold { b.hold {} } }, { b.hold { a.tryToHold {} } })
  },
  Scene("queues that come and go") {
    // The memory of one is the memory of the next: the order of two that never lived together says nothing.
    for turn in 0..<50 {
      let one = DispatchQueue(label: "one"), other = DispatchQueue(label: "other \(turn)")
      if turn.isMultiple(of: 2) { one.sync { other.sync {} } } else { other.sync {} }
    }
  },
  Scene("locks that come and go") {
    for _ in 0..<200 {
      let a = Mutex(), b = Mutex()
      a.hold { b.hold {} }
    }
  },
  Scene("parents and children of one label") {
    let parent = DispatchQueue(label: "database"), child = DispatchQueue(label: "database")
    inTurn({ parent.sync { child.sync {} } }, { parent.sync { child.sync {} } }, { child.sync {} })
  },
  Scene("a counting semaphore") {
    let slots = DispatchSemaphore(value: 3), queue = DispatchQueue(label: "queue"), group = DispatchGroup()
    for _ in 0..<20 {
      slots.wait()
      queue.async(group: group) { slots.signal() }
    }
    group.wait()
    queue.sync {
      slots.wait()
      slots.signal()
    }
  },
  Scene("a semaphore of one that others signal") {
    let turn = DispatchSemaphore(value: 1), queue = DispatchQueue(label: "queue")
    for _ in 0..<20 {
      turn.wait()
      queue.async { turn.signal() }
    }
    queue.sync { turn.wait() }
    turn.signal()
  },
  Scene("an owner that waits for its queue when it goes") {
    // No other thread knows the connection then, so none can be on its queue.
    let lock = Mutex()
    var connections = [Connection()]
    connections[0].queue.async { lock.hold {} }
    connections[0].queue.sync {}
    lock.hold { connections.removeAll() }
  },
  Scene("a pool that closes") {
    // Who closes waits until all have left the group, and keeps others from entering it meanwhile.
    let pool = Pool()
    for _ in 0..<3 { pool.use() }
    pool.close()
  },
  Scene("a pool that closes once others have left it as well") {
    // The block is a member to its end; what it has entered for others is theirs to leave.
    let gate = DispatchQueue(label: "gate", attributes: .concurrent), members = DispatchGroup()
    let reader = DispatchQueue(label: "reader"), content = Mutex()
    gate.sync {
      gate.async(group: members) {
        content.hold { reader.sync {} }
        members.enter()
        DispatchQueue.global().async { members.leave() }
      }
    }
    inTurn({ members.wait() })
    gate.sync(flags: .barrier) {
      members.wait()
      reader.sync { content.hold {} }
    }
  },
  Scene("many at once") {
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let queue = DispatchQueue(label: "queue"), lock = NSLock()
      queue.sync { lock.withLock {} }
    }
  },
  Scene("readers") {
    let a = Shelf(), b = Shelf()
    inTurn({ a.read { b.read {} } }, { b.read { a.read {} } })
  },
  Scene("a work item that has run") {
    let queue = DispatchQueue(label: "queue"), item = DispatchWorkItem {}
    queue.async(execute: item)
    queue.sync { item.wait() }
  },
  Scene("a timer and a source") {
    let queue = DispatchQueue(label: "queue"), done = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { done.signal() }
    timer.schedule(deadline: .now() + .milliseconds(1))
    timer.activate()
    done.wait()
    timer.cancel()
  },
]
