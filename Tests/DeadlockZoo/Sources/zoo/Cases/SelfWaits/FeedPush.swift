/// manaflow-ai/cmux#3316: a command that comes in through a socket is handled on main, where it hands an item to the
/// feed; the feed waits for main.
extension Case {
  static let feedPush = Case(
    "feed-push", "Main is waited for on main", after: "manaflow-ai/cmux#3316", is: .itself
  ) { _ in
    @Sendable func ingest() { SerialQueue.main.sync {} }
    SerialQueue.main.sync { ingest() }
  }
}
