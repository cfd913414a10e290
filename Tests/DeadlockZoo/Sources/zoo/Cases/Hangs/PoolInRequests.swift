/// Kitura/SwiftKueryMySQL#57: every request blocks a thread until its query has run, which needs another one.
/// Dispatch on Linux adds a thread a second, and then no more.
extension Case {
  static let poolInRequests = Case(
    "pool-in-requests", "All threads wait for answers that need a thread each",
    after: "Kitura/SwiftKueryMySQL#57", is: .hang
  ) { run in
    let requests = ConcurrentQueue(label: "requests")
    let queries = ConcurrentQueue(label: "queries")
    let count = run.hangs ? Machine.moreThanAllThreads : 1
    let done = Semaphore(value: 0)
    for _ in 0..<count {
      requests.async {
        let answered = Semaphore(value: 0)
        queries.async { answered.signal() }
        answered.wait()
        done.signal()
      }
    }
    for _ in 0..<count { done.wait() }
  }
}
