/// Readers do not keep each other out, but they keep a writer out.
extension Case {
  static let readerAndLock = Case(
    "reader-and-lock", "A reader takes a lock under which somebody writes", is: .cycle
  ) { run in
    let documents = ConcurrentQueue(label: "documents")
    let selection = Lock(0)
    run.orders(
      {
        documents.sync {
          run.meet()
          selection.withLock { $0 += 1 }
        }
      },
      {
        selection.withLock { _ in
          run.meet()
          documents.syncBarrier {}
        }
      })
  }
}
