/// AzureAD/microsoft-authentication-library-for-objc#1531: main waits on a semaphore for a token. Nearly always the
/// library gets it without main; once in a hundred times it has to go through the broker, whose window it shows on
/// main, and waits.
extension Case {
  static let silentToken = Case(
    "silent-token", "Main waits for a completion that now and then needs main",
    after: "AzureAD/microsoft-authentication-library-for-objc#1531", is: .cycle, in: .offMain
  ) { run in
    let library = SerialQueue(label: "msal")
    @Sendable func acquireToken(throughBroker: Bool, completion: @escaping @Sendable () -> Void) {
      library.async {
        if throughBroker { SerialQueue.main.sync {} }
        completion()
      }
    }
    @Sendable func token(throughBroker: Bool) {
      let done = Semaphore(value: 0)
      acquireToken(throughBroker: throughBroker) { done.signal() }
      done.wait()
    }
    run.orders(
      { SerialQueue.main.sync { token(throughBroker: run.hangs) } },
      { token(throughBroker: true) })
  }
}
