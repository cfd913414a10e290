/// Two queues that share a target are one: while a block of the one runs, the other waits. Only who knows the targets
/// sees it.
extension Case {
  static let siblings = Case(
    "siblings", "Two queues with one target stand on both sides of a third", is: .cycle
  ) { run in
    let work = SerialQueue(label: "work")
    let tokens = SerialQueue(label: "tokens", target: work)
    let profile = SerialQueue(label: "profile", target: work)
    let store = SerialQueue(label: "store")
    run.orders(
      {
        tokens.sync {
          run.meet()
          store.sync {}
        }
      },
      {
        store.sync {
          run.meet()
          profile.sync {}
        }
      })
  }
}
