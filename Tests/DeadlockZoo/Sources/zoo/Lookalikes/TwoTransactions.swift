/// As in GRDB's own tests: a writer waits for the other store, and then, on that store, for the first one's sign. It does
/// not wait for both at once.
extension Case {
  static let twoTransactions = Case(
    "two-transactions", "Two stores hand over to each other, and each is waited for from outside", is: .innocent,
    in: [.many]
  ) { run in
    let left = SerialQueue(label: "left"), right = SerialQueue(label: "right")
    let begun = Semaphore(value: 0), ready = Semaphore(value: 0)
    let written = Semaphore(value: 0), ended = Semaphore(value: 0)
    run.together(
      {
        left.sync {
          begun.signal()
          ready.wait()
          written.signal()
          ended.wait()
        }
      },
      {
        begun.wait()
        right.sync {
          ready.signal()
          written.wait()
        }
        ended.signal()
      })
  }
}
