/// A queue waits for a group of blocks; a block of the same worker asks that queue.
extension Case {
  static let groupOfWorkers = Case(
    "group-of-workers", "A queue waits for workers that wait for the queue", is: .cycle
  ) { run in
    let archive = SerialQueue(label: "archive")
    let worker = SerialQueue(label: "worker")
    run.orders(
      {
        archive.sync {
          run.meet()
          let parts = Group()
          for _ in 0..<3 { worker.async(group: parts) {} }
          parts.wait()
        }
      },
      {
        worker.sync {
          run.meet()
          archive.sync {}
        }
      })
  }
}
