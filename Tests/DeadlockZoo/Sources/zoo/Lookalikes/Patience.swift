/// In one of the two orders the wait has a limit, and what is held is let go.
extension Case {
  static let patience = Case("patience", "A wait that would close a cycle, with a limit", is: .innocent) { run in
    let store = SerialQueue(label: "store")
    let network = SerialQueue(label: "network")
    run.together(
      {
        store.sync {
          let answered = Semaphore(value: 0)
          network.async { answered.signal() }
          _ = answered.wait(timeout: .milliseconds(50))
        }
      },
      {
        network.sync { store.sync {} }
      })
  }
}
