/// aws-amplify/amplify-swift#1418: an operation waits for the session, whose callback is handed to the queue that the
/// operation keeps busy.
extension Case {
  static let storageCallback = Case(
    "storage-callback", "A queue waits for a callback that arrives on it",
    after: "aws-amplify/amplify-swift#1418", is: .hang
  ) { run in
    let storage = SerialQueue(label: "storage")
    let session = SerialQueue(label: "session")
    @Sendable func identity() {
      let done = Semaphore(value: 0)
      session.async {
        storage.async { done.signal() }
      }
      done.wait()
    }
    if run.hangs {
      storage.sync { identity() }
    } else {
      identity()
    }
  }
}
