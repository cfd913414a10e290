/// An asynchronous call made synchronous, where it may be: the thread that waits holds nothing that the answer needs.
extension Case {
  static let completion = Case("completion", "A semaphore that says that something is done", is: .innocent) { run in
    let network = SerialQueue(label: "network")
    let store = SerialQueue(label: "store")
    @Sendable func request() {
      let done = Semaphore(value: 0)
      network.async {
        store.sync {}
        done.signal()
      }
      done.wait()
    }
    let caller = SerialQueue(label: "caller")
    run.together({ for _ in 0..<10 { request() } }, { for _ in 0..<10 { caller.sync { request() } } })
  }
}
