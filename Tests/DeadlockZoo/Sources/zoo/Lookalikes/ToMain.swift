/// Threads wait for main, which drains its queue and waits for no thread.
extension Case {
  static let toMain = Case("to-main", "Main is waited for from elsewhere, and drained", is: .innocent, in: .offMain) {
    run in
    let work = SerialQueue(label: "work")
    let state = Lock(0)
    run.together(
      { SerialQueue.main.sync { state.withLock { $0 += 1 } } },
      { work.sync { SerialQueue.main.sync { state.withLock { $0 += 1 } } } },
      { SerialQueue.main.sync { work.async {} } })
  }
}
