/// The block that answers asks the first queue afterwards. The first queue waits no more by then, and the block is the
/// only one on its queue.
extension Case {
  static let answersAndAsksBack = Case(
    "answers-and-asks-back", "A queue's block answers another queue, and then waits for an answer of it", is: .innocent
  ) { run in
    let asking = SerialQueue(label: "asking")
    let answering = SerialQueue(label: "answering")
    let hasEnded = Event()
    asking.sync {
      let answered = Semaphore(value: 0)
      answering.async {
        answered.signal()
        let back = Semaphore(value: 0)
        asking.async { back.signal() }
        back.wait()
        hasEnded.happen()
      }
      answered.wait()
    }
    hasEnded.wait()
  }
}
