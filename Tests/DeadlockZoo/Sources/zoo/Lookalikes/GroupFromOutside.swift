/// The thread that waits for the group holds nothing that its members need.
extension Case {
  static let groupFromOutside = Case("group-from-outside", "A group is awaited from outside", is: .innocent) { run in
    let queues = (0..<3).map { SerialQueue(label: "part \($0)") }
    let log = SerialQueue(label: "log")
    @Sendable func all() {
      let parts = Group()
      for queue in queues {
        queue.async(group: parts) { log.sync {} }
      }
      parts.wait()
    }
    run.together(all, all)
  }
}
