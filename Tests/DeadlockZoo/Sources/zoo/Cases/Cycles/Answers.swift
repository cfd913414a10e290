/// Code on a queue needs a value of another queue, and waits for it: the submitted block answers with a semaphore.
extension Case {
  static let answersBothWays = Case(
    "answers-both-ways", "Each of two queues waits for an asynchronous answer of the other one", is: .cycle
  ) { run in
    let queues = ["accounts", "journal"].map { SerialQueue(label: $0) }
    run.orders({ ask(queues[1], from: queues[0], run) }, { ask(queues[0], from: queues[1], run) })
  }

  static let answersInARing = Case(
    "answers-in-a-ring", "Three queues wait for one another's asynchronous answers in a ring", is: .cycle
  ) { run in
    let queues = ["accounts", "journal", "rates"].map { SerialQueue(label: $0) }
    run.orders((0..<3).map { index in { ask(queues[(index + 1) % 3], from: queues[index], run) } })
  }

  static let answersByGroup = Case(
    "answers-by-group", "Each of two queues waits for a group with a block of the other one", is: .cycle
  ) { run in
    let queues = ["accounts", "journal"].map { SerialQueue(label: $0) }
    @Sendable func ask(_ other: SerialQueue, from own: SerialQueue) {
      own.sync {
        run.meet()
        let answered = Group()
        answered.enter()
        other.async { answered.leave() }
        answered.wait()
      }
    }
    run.orders({ ask(queues[1], from: queues[0]) }, { ask(queues[0], from: queues[1]) })
  }
}

private func ask(_ other: SerialQueue, from own: SerialQueue, _ run: Run) {
  own.sync {
    run.meet()
    let answered = Semaphore(value: 0)
    other.async { answered.signal() }
    answered.wait()
  }
}
