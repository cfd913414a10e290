/// firebase/FirebaseUI-iOS#339: the completion of a phone sign-in waits for main, on the work queue of auth; a
/// delegate on main asks auth for something, which waits for the work queue. Found by a reviewer.
extension Case {
  static let delegateOnMain = Case(
    "delegate-on-main", "A completion waits for main, and main waits for the queue that completes",
    after: "firebase/FirebaseUI-iOS#339", is: .cycle, in: .offMain
  ) { run in
    let work = SerialQueue(label: "auth.work")
    @Sendable func currentUser() { work.sync {} }
    run.orders(
      {
        let signedIn = Event()
        work.async {
          run.meet()
          SerialQueue.main.sync {}
          signedIn.happen()
        }
        signedIn.wait()
      },
      {
        SerialQueue.main.sync {
          run.meet()
          currentUser()
        }
      })
  }
}
