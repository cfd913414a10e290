/// openid/AppAuth-iOS#667, #944: an application makes the call synchronous and waits for the callback, on main. The
/// callback arrives on main.
extension Case {
  static let freshToken = Case(
    "fresh-token", "Main waits for a callback that arrives on main", after: "openid/AppAuth-iOS#667", is: .hang
  ) { run in
    let network = SerialQueue(label: "network")
    @Sendable func freshToken() {
      let done = Semaphore(value: 0)
      network.async {
        SerialQueue.main.async { done.signal() }
      }
      done.wait()
    }
    if run.hangs {
      SerialQueue.main.sync { freshToken() }
    } else {
      freshToken()
    }
  }
}
