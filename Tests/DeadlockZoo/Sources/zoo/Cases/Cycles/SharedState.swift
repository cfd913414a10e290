/// pointfreeco/swift-sharing#149: the cache of dependencies and the registry of shared references fill themselves
/// from one another, each under its own lock.
extension Case {
  static let sharedState = Case(
    "shared-state", "Two caches fill themselves from one another, each under its lock",
    after: "pointfreeco/swift-sharing#149", is: .cycle
  ) { run in
    let dependencies = Lock(0)
    let references = Lock(0)
    run.orders(
      {
        dependencies.withLock { _ in
          run.meet()
          references.withLock { $0 += 1 }
        }
      },
      {
        references.withLock { _ in
          run.meet()
          dependencies.withLock { $0 += 1 }
        }
      })
  }
}
