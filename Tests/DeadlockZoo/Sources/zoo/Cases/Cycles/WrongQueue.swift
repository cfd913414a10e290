/// AzureAD/microsoft-authentication-library-for-objc#2408: a completion that was written for main arrives on the
/// library's own queue. There an isolation check stopped the program; here the completion asks what it may ask on
/// main, and nowhere else.
extension Case {
  static let wrongQueue = Case(
    "wrong-queue", "A completion that is written for main runs on the library's queue, and waits",
    after: "AzureAD/microsoft-authentication-library-for-objc#2408", is: .cycle
  ) { run in
    let library = SerialQueue(label: "library")
    let accounts = SerialQueue(label: "accounts")
    run.orders(
      {
        let delivered = Event()
        library.async {
          run.meet()
          accounts.sync {}
          delivered.happen()
        }
        delivered.wait()
      },
      {
        accounts.sync {
          run.meet()
          library.sync {}
        }
      })
  }
}
