/// wix-incubator/DetoxSync#98: what is logged on the queue is described first, which works on another queue, which is
/// spied upon; the spy waits for the queue.
extension Case {
  static let describedQueue = Case(
    "described-queue", "Logging on a queue ends, two calls deeper, in a wait for the queue",
    after: "wix-incubator/DetoxSync#98", is: .itself
  ) { _ in
    let tracker = SerialQueue(label: "tracker")
    let system = SerialQueue(label: "system")
    @Sendable func spy() { tracker.sync {} }
    @Sendable func describe() { system.sync { spy() } }
    tracker.sync { describe() }
  }
}
