/// A queue gets another target before it is used. No thread waits for it on its first target.
extension Case {
  static let retargeted = Case("retargeted", "A queue is given another target before it begins", is: .innocent) { run in
    let old = SerialQueue(label: "old")
    let new = SerialQueue(label: "new")
    let queue = SerialQueue.moved(label: "moved", from: old, to: new)
    run.together({ queue.sync { old.sync {} } }, { old.sync { new.async {} } }, { queue.sync {} })
  }
}
