/// Code that is on the queue already does not wait for it.
extension Case {
  static let inPlace = Case("in-place", "A call that waits for a queue, unless it is made there", is: .innocent) {
    run in
    let queue = SerialQueue(label: "session")
    let holder = Holder()
    @Sendable func perform(_ work: () -> Void) {
      guard !holder.isThisThread else { return work() }
      queue.sync {
        holder.enter()
        work()
        holder.leave()
      }
    }
    run.together({ perform { perform {} } }, { perform { perform { perform {} } } })
  }
}
