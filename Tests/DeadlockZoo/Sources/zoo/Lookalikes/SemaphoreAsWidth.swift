/// At most two at a time. A waiter does not wait for one particular thread: any of them may signal.
extension Case {
  static let semaphoreAsWidth = Case(
    "semaphore-as-width", "A semaphore that lets two in at a time", is: .innocent
  ) { run in
    let places = Semaphore(value: 2)
    let queues = (0..<3).map { SerialQueue(label: "download \($0)") }
    @Sendable func download(_ queue: SerialQueue) {
      for _ in 0..<10 {
        queue.sync {
          places.wait()
          places.signal()
        }
      }
    }
    run.together({ download(queues[0]) }, { download(queues[1]) }, { download(queues[2]) })
  }
}
