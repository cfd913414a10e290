/// Queues that share a target each wait for the store. The store waits for none of them.
extension Case {
  static let hierarchy = Case("hierarchy", "Queues that share a target wait for a queue below", is: .innocent) { run in
    let work = SerialQueue(label: "work")
    let tokens = SerialQueue(label: "tokens", target: work)
    let profile = SerialQueue(label: "profile", target: work)
    let store = SerialQueue(label: "store")
    run.together(
      { tokens.sync { store.sync {} } },
      { profile.sync { store.sync {} } },
      { work.sync { store.sync {} } },
      { store.sync { tokens.async {} } })
  }
}
