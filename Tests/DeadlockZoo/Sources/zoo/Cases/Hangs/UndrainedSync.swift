/// The same, and the caller waits for the queue itself.
extension Case {
  static let undrainedSync = Case(
    "undrained-sync", "Main is waited for, and nobody drains it", is: .hang, leavesMainUndrained: true
  ) { _ in
    Thread { SerialQueue.main.sync {} }.join()
  }
}
