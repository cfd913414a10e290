/// The barrier waits until all readers have ended, and the thread that asks for it is a reader.
extension Case {
  static let readerWhoWrites = Case("reader-who-writes", "A reader asks for a barrier", is: .itself) { _ in
    let documents = ConcurrentQueue(label: "documents")
    documents.sync { documents.syncBarrier {} }
  }
}
