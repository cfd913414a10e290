/// swiftlang/swift#86763: where an actor is a lock, a task that goes from one actor to another took the new one's
/// lock before it released the old one's. The actors here are such locks; both are made at one place.
extension Case {
  static let switchingActors = Case(
    "switching-actors", "A task takes the next actor's lock before it releases the last one's",
    after: "swiftlang/swift#86763", is: .cycle
  ) { run in
    let actors = (0..<2).map { Lock($0) }
    @Sendable func goes(from old: Int, to new: Int) {
      actors[old].withLock { _ in
        run.meet()
        actors[new].withLock { $0 += 1 }
      }
    }
    run.orders({ goes(from: 0, to: 1) }, { goes(from: 1, to: 0) })
  }
}
