/// As before, but the maker of the semaphore declares which queue signals it; the signal itself may never have been
/// seen at work.
extension Case {
  static let declaredAnswer = Case(
    "declared-answer", "An answer is awaited on main, from a queue that waits for main", is: .cycle, in: .offMain
  ) { run in
    let session = SerialQueue(label: "session")
    run.orders(
      {
        SerialQueue.main.sync {
          run.meet()
          let answered = Semaphore(value: 0, signaledBy: session)
          session.async { answered.signal() }
          answered.wait()
        }
      },
      {
        session.sync {
          run.meet()
          SerialQueue.main.sync {}
        }
      })
  }
}
