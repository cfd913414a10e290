/// A driver hands in the work of a phase and waits for it before the next one. Two drivers can be in two phases.
extension Case {
  static let groupInPhases = Case(
    "group-in-phases", "One phase of a group takes two locks in one order, the next phase in the other", is: .cycle
  ) { run in
    let first = Lock(0)
    let second = Lock(0)
    let phases = Group()
    @Sendable func drive(_ one: Lock<Int>, then other: Lock<Int>) {
      let worker = SerialQueue(label: "worker")
      worker.async(group: phases) {
        one.withLock { _ in
          run.meet()
          other.withLock { $0 += 1 }
        }
      }
      phases.wait()
    }
    run.orders({ drive(first, then: second) }, { drive(second, then: first) })
  }
}
