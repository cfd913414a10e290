/// Two actors that block their threads until the other has answered. Nothing says which actor a thread is in; that a
/// thread of the pool is blocked can be seen.
extension Case {
  static let blockingActors = Case(
    "blocking-actors", "Two actors each block until the other has answered", is: .cycle, through: .actors
  ) { run in
    let ann = Peer()
    let bob = Peer()
    @Sendable func ask(_ one: Peer, about other: Peer) {
      let done = Event()
      Task {
        await one.ask(other, run)
        done.happen()
      }
      done.wait()
    }
    run.orders({ ask(ann, about: bob) }, { ask(bob, about: ann) })
  }
}

private actor Peer {
  func ask(_ other: Peer, _ run: Run) {
    run.meet()
    let answered = Semaphore(value: 0)
    Task {
      await other.answer()
      answered.signal()
    }
    answered.wait()
  }

  func answer() {}
}
