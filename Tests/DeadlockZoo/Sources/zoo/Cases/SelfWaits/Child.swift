/// A queue waits for one whose target it is: its block cannot run before the one that waits has ended.
extension Case {
  static let child = Case("child", "A queue waits for a queue that it is the target of", is: .itself) { _ in
    let work = SerialQueue(label: "work")
    let tokens = SerialQueue(label: "tokens", target: work)
    work.sync { tokens.sync {} }
  }
}
