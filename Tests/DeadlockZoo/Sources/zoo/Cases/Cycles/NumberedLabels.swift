/// Each account has a queue and a journal, whose labels have its number. One account is seen in one order, another one
/// in the other: what one of them does, all of them do.
extension Case {
  static let numberedLabels = Case(
    "numbered-labels", "Queues with numbers in their labels: one pair in one order, another in the other", is: .cycle
  ) { run in
    let accounts = (0..<2).map { SerialQueue(label: "account \($0)") }
    let journals = (0..<2).map { SerialQueue(label: "journal \($0)") }
    let other = run.hangs ? 0 : 1
    run.orders(
      {
        accounts[0].sync {
          run.meet()
          journals[0].sync {}
        }
      },
      {
        journals[other].sync {
          run.meet()
          accounts[other].sync {}
        }
      })
  }
}
