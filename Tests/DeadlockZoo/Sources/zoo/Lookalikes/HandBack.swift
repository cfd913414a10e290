/// The work goes from queue to queue and back, and no thread waits for it.
extension Case {
  static let handBack = Case("hand-back", "Two queues hand work to each other asynchronously", is: .innocent) { run in
    let work = SerialQueue(label: "work")
    let callbacks = SerialQueue(label: "callbacks")
    run.together(
      {
        let isDone = Event(times: 10)
        for _ in 0..<10 {
          work.async {
            callbacks.async {
              work.async { isDone.happen() }
            }
          }
        }
        isDone.wait()
      },
      {
        for _ in 0..<10 { callbacks.sync { work.sync {} } }
      })
  }
}
