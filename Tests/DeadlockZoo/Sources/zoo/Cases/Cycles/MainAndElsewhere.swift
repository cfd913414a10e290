/// The main queue keeps two orders apart only if both are walked through in its blocks.
extension Case {
  static let mainAndElsewhere = Case(
    "main-and-elsewhere", "Two queues in both orders, of which only one order is on main", is: .cycle,
    in: .offMain
  ) { run in
    let left = SerialQueue(label: "left")
    let right = SerialQueue(label: "right")
    run.orders(
      {
        SerialQueue.main.sync {
          left.sync {
            run.meet()
            right.sync {}
          }
        }
      },
      {
        right.sync {
          run.meet()
          left.sync {}
        }
      })
  }
}
