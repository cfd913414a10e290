/// aws-amplify/amplify-swift#948: the operation that fetches tokens waits, on its serial queue, until the callback
/// has left a group. A listener that is called back asks for the session, which is an operation of the same queue.
extension Case {
  static let tokenGroup = Case(
    "token-group", "An operation waits for its callback, and a callback waits for an operation",
    after: "aws-amplify/amplify-swift#948", is: .cycle
  ) { run in
    let tokens = SerialQueue(label: "tokens")
    let callbacks = SerialQueue(label: "callbacks")
    run.orders(
      {
        tokens.sync {
          run.meet()
          let fetch = Group()
          fetch.enter()
          callbacks.async { fetch.leave() }
          fetch.wait()
        }
      },
      {
        callbacks.sync {
          run.meet()
          tokens.sync {}
        }
      })
  }
}
