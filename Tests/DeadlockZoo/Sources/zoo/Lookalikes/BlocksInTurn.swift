/// Giver and waiter differ, and each block gives once. But no block was submitted while the block that waits for it
/// held its queue, so it is never behind the other waiter.
extension Case {
  static let blocksInTurn = Case(
    "blocks-in-turn", "Two queues give each other signs in turn, with a block for each turn", is: .innocent
  ) { run in
    let ping = Semaphore(value: 0)
    let pong = Semaphore(value: 0)
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    let hasEnded = Event()
    for turn in 0..<10 {
      left.async {
        ping.signal()
        pong.wait()
        if turn == 9 { hasEnded.happen() }
      }
      right.async {
        ping.wait()
        pong.signal()
      }
    }
    hasEnded.wait()
  }

  static let turnsOfTheirOwn = Case(
    "turns-of-their-own", "Two queues hand over in turn, and each turn has a block and a sign of its own",
    is: .innocent
  ) { run in
    let signs = (0..<10).map { _ in Semaphore(value: 0) }
    let queues = [SerialQueue(label: "left"), SerialQueue(label: "right")]
    let hasEnded = Event()
    for turn in signs.indices {
      queues[turn % 2].async {
        if turn > 0 { signs[turn - 1].wait() }
        if turn == 9 { hasEnded.happen() }
        signs[turn].signal()
      }
    }
    hasEnded.wait()
  }

  static let blockForEachItem = Case(
    "block-for-each-item", "A producer and a consumer with two semaphores, and a block for each item", is: .innocent
  ) { run in
    let free = Semaphore(value: 0)
    let filled = Semaphore(value: 0)
    let producer = SerialQueue(label: "producer")
    let consumer = SerialQueue(label: "consumer")
    let hasEnded = Event()
    free.signal()
    free.signal()
    for item in 0..<10 {
      producer.async {
        free.wait()
        filled.signal()
      }
      consumer.async {
        filled.wait()
        free.signal()
        if item == 9 { hasEnded.happen() }
      }
    }
    hasEnded.wait()
  }

  static let answersOneWay = Case(
    "answers-one-way", "A queue waits for answers of another, and both are asked from outside", is: .innocent
  ) { run in
    let asking = SerialQueue(label: "asking")
    let answering = SerialQueue(label: "answering")
    @Sendable func ask(_ queue: SerialQueue) {
      let answered = Semaphore(value: 0)
      queue.async { answered.signal() }
      answered.wait()
    }
    run.together({ asking.sync { ask(answering) } }, { ask(asking) }, { ask(answering) })
  }

  /// The answer comes on a concurrent queue, which has room for it whatever else waits there.
  static let answersBesideOthers = Case(
    "answers-beside-others", "Two queues wait for answers that a concurrent queue gives", is: .innocent
  ) { run in
    let workers = ConcurrentQueue(label: "workers")
    let queues = [SerialQueue(label: "left"), SerialQueue(label: "right")]
    @Sendable func ask(from own: SerialQueue) {
      own.sync {
        let answered = Semaphore(value: 0)
        workers.async { answered.signal() }
        answered.wait()
      }
    }
    run.together({ ask(from: queues[0]) }, { ask(from: queues[1]) })
  }
}
