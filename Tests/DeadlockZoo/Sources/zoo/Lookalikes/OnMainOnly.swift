/// Blocks of the main queue follow each other. That is a note, since the same code may run elsewhere tomorrow.
extension Case {
  static let onMainOnly = Case(
    "on-main-only", "Two queues in both orders, only in blocks on main", is: .innocent, in: .offMain
  ) { run in
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    run.together(
      { for _ in 0..<10 { SerialQueue.main.sync { left.sync { right.sync {} } } } },
      { for _ in 0..<10 { SerialQueue.main.sync { right.sync { left.sync {} } } } })
  }
}
