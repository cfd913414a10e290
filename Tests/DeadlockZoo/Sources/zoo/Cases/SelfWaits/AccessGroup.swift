/// firebase/firebase-ios-sdk#5387: a call that waits for the work queue was also made by code on the work queue.
/// Found by a reviewer. There is one work queue, so no run can pass: to be found at the call.
extension Case {
  static let accessGroup = Case(
    "access-group", "A call that waits for the work queue is made on the work queue",
    after: "firebase/firebase-ios-sdk#5387", is: .itself
  ) { _ in
    let work = SerialQueue(label: "auth.work")
    let isConfigured = Event()
    @Sendable func useAccessGroup() { work.sync {} }
    work.async {
      useAccessGroup()
      isConfigured.happen()
    }
    isConfigured.wait()
  }
}
